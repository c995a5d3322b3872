//! The files of the page, part of the program.

/// The shell: open to all, without data. It exchanges the token for a cookie and loads the rest.
pub(crate) const SHELL: &str = include_str!("assets/shell.html");

/// The place of the nonce in the shell.
pub(crate) const NONCE: &str = "{nonce}";

/// A file of the page.
pub(crate) struct Asset {
    pub(crate) path: &'static str,
    pub(crate) kind: &'static str,
    pub(crate) text: &'static str,
}

const SCRIPT: &str = "text/javascript; charset=utf-8";

/// All files besides the shell.
pub(crate) const ASSETS: [Asset; 14] = [
    Asset { path: "/page.css", kind: "text/css; charset=utf-8", text: include_str!("assets/page.css") },
    Asset { path: "/page.js", kind: SCRIPT, text: include_str!("assets/page.js") },
    Asset { path: "/dom.js", kind: SCRIPT, text: include_str!("assets/dom.js") },
    Asset { path: "/item.js", kind: SCRIPT, text: include_str!("assets/item.js") },
    Asset { path: "/markdown.js", kind: SCRIPT, text: include_str!("assets/markdown.js") },
    Asset { path: "/queue.js", kind: SCRIPT, text: include_str!("assets/queue.js") },
    Asset { path: "/server.js", kind: SCRIPT, text: include_str!("assets/server.js") },
    Asset { path: "/label.js", kind: SCRIPT, text: include_str!("assets/label.js") },
    Asset { path: "/screen.js", kind: SCRIPT, text: include_str!("assets/screen.js") },
    Asset { path: "/keys.js", kind: SCRIPT, text: include_str!("assets/keys.js") },
    Asset { path: "/back.js", kind: SCRIPT, text: include_str!("assets/back.js") },
    Asset { path: "/answers.js", kind: SCRIPT, text: include_str!("assets/answers.js") },
    Asset { path: "/status.js", kind: SCRIPT, text: include_str!("assets/status.js") },
    Asset { path: "/owner.js", kind: SCRIPT, text: include_str!("assets/owner.js") },
];
