// Starts the page: asks for a name once, then shows the labelling screen or, to the owner, the estimate.

import { fill, h, sentence } from "./dom.js";
import { Labelling } from "./label.js";
import { OwnerScreen } from "./owner.js";
import { post } from "./server.js";

const NAME = "labelwise name";

const root = document.querySelector("#root");

/** The name that this browser remembers. */
function remembered() {
  try {
    return localStorage.getItem(NAME);
  } catch {
    return null;
  }
}

function remember(name) {
  try {
    localStorage.setItem(NAME, name);
  } catch {
    // It is asked again next time.
  }
}

/** Asks for a name, once per browser. */
function askName(state) {
  return new Promise((done) => {
    const field = h("input", { id: "name", autocomplete: "name", maxlength: "60", required: true, "aria-describedby": "why" });
    const wrong = h("p", { class: "wrong", role: "alert" });
    const form = h(
      "form",
      {
        onsubmit: async (event) => {
          event.preventDefault();
          try {
            const { name } = await post("/api/person", { name: field.value });
            remember(name);
            done(name);
          } catch (error) {
            fill(wrong, sentence(error.message));
          }
        },
      },
      h("label", { for: "name" }, "Your name"),
      field,
      h("button", { class: "primary" }, "Start to label"),
    );
    fill(
      root,
      h("main", { class: "door" }, h("h1", {}, state.title), h("p", { id: "why" }, "Your name is recorded with every label you give. It is asked once in this browser."), form, wrong),
    );
    document.title = `${state.title}: your name`;
    field.focus();
  });
}

/** The name of this session: by invitation, remembered, or asked. */
async function nameOf(state) {
  if (state.name) return state.name;
  const known = remembered();
  if (known) {
    try {
      return (await post("/api/person", { name: known })).name;
    } catch {
      // The name belongs to somebody else now.
    }
  }
  return askName(state);
}

export async function start(state) {
  const name = await nameOf(state);
  let screen = null;
  const show = (wanted) => {
    screen?.close();
    const isOwners = wanted === "estimate" && state.owner;
    screen = isOwners ? new OwnerScreen(root, state, () => show("label")) : new Labelling(root, state, name, () => show("estimate"));
    document.title = isOwners ? `${state.title}: the estimate` : `${state.title}: labelling`;
  };
  show("label");
}
