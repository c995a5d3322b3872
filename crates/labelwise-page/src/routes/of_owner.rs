//! The routes of the owner's screen.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{App, Caller, body, failed, whole};
use crate::error::Error;
use crate::http::{Reply, Request, Response, Status};
use crate::owner;
use crate::sessions::{Role, valid_name};

pub(super) fn overview(app: &App, _: &Request, caller: &Caller) -> Result<Reply, Response> {
    let progress = app.desk.progress(&caller.name);
    let read = app.desk.with_reader(|study| {
        let estimate = owner::estimate(study)?;
        let (agreement, looks) = (study.agreement()?, study.looks()?.len());
        Ok((estimate, agreement, looks, study.settings().judge.is_some()))
    });
    let (estimate, agreement, looks, is_averaged) = read.map_err(failed)?;
    let pairs: Vec<Value> = agreement
        .pairs
        .iter()
        .map(|pair| json!({"who": [pair.who.0, pair.who.1], "both": pair.both, "agree": pair.agree}))
        .collect();
    let differing: Vec<Value> = agreement
        .differing
        .iter()
        .take(50)
        .map(|one| json!({"item": one.id, "label": one.label, "opinion": one.opinion}))
        .collect();
    whole(Response::json(&json!({
        "schema": "labelwise.page.owner/1",
        "estimate": estimate,
        "progress": progress,
        "people": app.desk.people().map_err(failed)?,
        "skips": app.desk.skips(),
        "looks": looks,
        "agreement": {"both": agreement.both, "agree": agreement.agree, "kappa": agreement.kappa, "pairs": pairs,
            "differing": differing, "averaged": is_averaged},
    })))
}

pub(super) fn chart(app: &App, request: &Request, caller: &Caller) -> Result<Reply, Response> {
    let goal = app.desk.progress(&caller.name).goal;
    let (narrow, dark) = (request.parameter("narrow").is_some(), request.parameter("dark").is_some());
    let svg = app.desk.with_reader(|study| owner::chart(study, goal, narrow, dark)).map_err(failed)?;
    let svg = svg.ok_or_else(no_estimate)?;
    whole(Response::new("image/svg+xml", svg).policy(crate::http::SANDBOX.to_owned()))
}

/// The report is a page of its own, in a tab of its own. Its policy lets it use its own style, and nothing else.
pub(super) fn report(app: &App, _: &Request, _: &Caller) -> Result<Reply, Response> {
    let html = app.desk.with_reader(owner::report).map_err(failed)?;
    let html = html.ok_or_else(no_estimate)?;
    whole(Response::new("text/html; charset=utf-8", html).policy(crate::http::REPORT.to_owned()))
}

fn no_estimate() -> Response {
    Response::refuse(Status::NotFound, "no-estimate", "there is no estimate yet")
}

pub(super) fn look(app: &App, _: &Request, caller: &Caller) -> Result<Reply, Response> {
    let who = if caller.name.is_empty() { "owner" } else { &caller.name };
    let looks = app.desk.look(who).map_err(failed)?;
    whole(Response::json(&json!({"looks": looks})))
}

pub(super) fn goal(app: &App, request: &Request, caller: &Caller) -> Result<Reply, Response> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Goal {
        goal: usize,
    }
    let wish: Goal = body(request)?;
    let goal = app.desk.set_goal(&caller.name, wish.goal).map_err(failed)?;
    whole(Response::json(&json!({"goal": goal})))
}

pub(super) fn invite(app: &App, request: &Request, _: &Caller) -> Result<Reply, Response> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Invited {
        name: Option<String>,
    }
    let wish: Invited = body(request)?;
    let name = wish.name.filter(|name| !name.trim().is_empty());
    let name = match name.map(|name| valid_name(&name).ok_or(name)) {
        Some(Err(name)) => {
            let error = Error::Name { name };
            return Err(Response::refuse(Status::Unprocessable, error.code(), &error.to_string()));
        }
        Some(Ok(name)) => Some(name),
        None => None,
    };
    let token = app.sessions.invite(Role::Labeller, name).map_err(failed)?;
    whole(Response::json(&json!({"address": format!("{}#{token}", app.about.address)})))
}
