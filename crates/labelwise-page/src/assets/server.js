// Requests to the server that the page came from. There is no other.

/** The server did not answer. */
export class Gone extends Error {}

/** The server does not know this session: it was started again. */
export class Restarted extends Error {}

/** The server refused, with a code and a sentence. */
export class Refused extends Error {
  constructor(status, error) {
    super(error?.message ?? `status ${status}`);
    this.status = status;
    this.code = error?.code ?? "unknown";
  }
}

/** Longest time for an answer. A new proposal for a large pool can take a while. */
const PATIENCE = 30000;

async function call(method, path, body) {
  let answer;
  let data = null;
  try {
    answer = await fetch(path, {
      method,
      headers: body === undefined ? {} : { "Content-Type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(PATIENCE),
    });
    data = await answer.json();
  } catch {
    throw new Gone();
  }
  if (answer.status === 401) throw new Restarted();
  if (!answer.ok) throw new Refused(answer.status, data?.error);
  return data;
}

export const get = (path) => call("GET", path);
export const post = (path, body) => call("POST", path, body);

/** Progress as it happens. Closed while nobody looks, since browsers allow few streams per server. */
export class Events {
  constructor(onProgress, onTrouble) {
    this.onProgress = onProgress;
    this.onTrouble = onTrouble;
    this.ended = new AbortController();
    document.addEventListener("visibilitychange", () => (document.hidden ? this.close() : this.open()), { signal: this.ended.signal });
    this.open();
  }

  open() {
    if (this.source || document.hidden || this.ended.signal.aborted) return;
    this.source = new EventSource("/api/events");
    this.source.addEventListener("progress", (event) => this.onProgress(JSON.parse(event.data)));
    this.source.addEventListener("error", () => {
      // Our own retries know the difference between a restart and an end.
      this.close();
      this.onTrouble();
    });
  }

  close() {
    this.source?.close();
    this.source = null;
  }

  /** For good: a browser has six connections to a server, and a stream holds one. */
  end() {
    this.ended.abort();
    this.close();
  }
}
