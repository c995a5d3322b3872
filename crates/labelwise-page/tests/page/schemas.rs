//! Every answer of the server is what `docs/labelling.schema.json` says.

use labelwise_page::routes;
use serde_json::{Value, json};

use crate::client::{Client, Got, Pets, with_rules};

/// The published description of the server's answers.
struct Schemas(Value);

impl Schemas {
    fn read() -> Self {
        Self(serde_json::from_str(include_str!("../../../../docs/labelling.schema.json")).unwrap())
    }

    fn route(&self, route: &str, part: &str) -> &Value {
        &self.0["routes"][route][part]
    }

    /// Holds a value to a schema: the words of JSON Schema that the file uses, and no others.
    fn check(&self, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
        for (word, wanted) in schema.as_object().ok_or(format!("{at}: no schema"))? {
            match word.as_str() {
                "description" => {}
                "$ref" => {
                    let name = wanted.as_str().unwrap().trim_start_matches("#/$defs/");
                    self.check(&self.0["$defs"][name], value, at)?;
                }
                "oneOf" => {
                    let fits = |one: &&Value| self.check(one, value, at).is_ok();
                    if wanted.as_array().unwrap().iter().filter(fits).count() != 1 {
                        return Err(format!("{at}: {value} is not one of them"));
                    }
                }
                "const" if wanted == value => {}
                "enum" if wanted.as_array().unwrap().contains(value) => {}
                "minimum" if value.is_null() || value.as_f64() >= wanted.as_f64() => {}
                "type" => {
                    let kind = match value {
                        Value::Null => "null",
                        Value::Bool(_) => "boolean",
                        Value::Number(number) if number.is_u64() => "integer",
                        Value::Number(_) => "number",
                        Value::String(_) => "string",
                        Value::Array(_) => "array",
                        Value::Object(_) => "object",
                    };
                    let one = |name: &Value| name == kind || (name == "number" && kind == "integer");
                    let is_any = wanted.as_array().map_or_else(|| one(wanted), |all| all.iter().any(one));
                    if !is_any {
                        return Err(format!("{at}: {value} is not {wanted}"));
                    }
                }
                "items" => {
                    for (place, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.check(wanted, item, &format!("{at}[{place}]"))?;
                    }
                }
                "properties" => {
                    for (name, value) in value.as_object().into_iter().flatten() {
                        let part = wanted.get(name).ok_or(format!("{at}.{name} is not described"))?;
                        self.check(part, value, &format!("{at}.{name}"))?;
                    }
                }
                "required" => {
                    for name in wanted.as_array().unwrap() {
                        if value.get(name.as_str().unwrap()).is_none() {
                            return Err(format!("{at} has no {name}"));
                        }
                    }
                }
                "additionalProperties" if wanted == false => {}
                _ => return Err(format!("{at}: {value} is not {word} {wanted}")),
            }
        }
        Ok(())
    }

    fn hold(&self, route: &str, got: &Got) {
        assert_eq!(got.status, 200, "{route}: {got:?}");
        self.check(self.route(route, "answer"), &got.json(), route).unwrap();
    }
}

#[test]
fn every_route_is_described_and_answers_as_described() {
    let schemas = Schemas::read();
    let known: Vec<String> = routes()
        .into_iter()
        .filter(|(_, path, _)| path.starts_with("/api"))
        .map(|(method, path, _)| format!("{} {path}", method.name()))
        .collect();
    let described: Vec<&String> = schemas.0["routes"].as_object().unwrap().keys().collect();
    assert!(known.iter().all(|route| described.contains(&route)), "{known:?}");
    assert_eq!(known.len(), described.len(), "{described:?}");

    let pets = Pets::new();
    let mut options = with_rules(|rules| (rules.overlap, rules.batch) = (2, 4));
    options.invite = vec!["ben".to_owned()];
    options.guide = Some(("guide.md".to_owned(), "Cats purr.".to_owned()));
    let page = pets.open(&options);
    let (ada, ben) = (Client::enter(page.address()), Client::enter(&page.invitations()[0].1));
    let get = |client: &Client, path: &str| {
        let route = format!("GET {}", path.split('?').next().unwrap());
        schemas.hold(&route, &client.get(path));
    };
    let post = |path: &str, body: Value| {
        let route = format!("POST {path}");
        schemas.check(schemas.route(&route, "request"), &body, &route).unwrap();
        schemas.hold(&route, &ada.post(path, &body.to_string()));
    };
    get(&ada, "/api/owner");
    for number in 0..6 {
        let item = ada.next(1).remove(0);
        let label = if number % 3 == 0 { "dog" } else { "cat" };
        post("/api/labels", json!({"item": item, "label": label, "key": number.to_string(), "note": "n"}));
        let other = ben.next(1).remove(0);
        ben.label(&other, "cat", &number.to_string());
        get(&ada, &format!("/api/item?item={item}"));
    }
    let item = ada.next(1).remove(0);
    post("/api/labels", json!({"item": item, "skip": "broken", "key": "skip"}));
    post("/api/labels", json!({"item": item, "label": "cat", "key": "amend", "amend": true}));
    post("/api/later", json!({"item": ada.next(1).remove(0)}));
    post("/api/person", json!({"name": "ada"}));
    post("/api/owner/look", json!({}));
    post("/api/owner/goal", json!({"goal": 50}));
    post("/api/owner/invite", json!({"name": "carl"}));
    for path in
        ["/api/state", "/api/next?count=3", "/api/history", "/api/progress", "/api/guide", "/api/owner"]
    {
        get(&ada, path);
    }
    get(&ben, "/api/state");
    let refusal = ada.get("/api/item?item=x").json();
    schemas.check(&schemas.0["error"], &refusal, "error").unwrap();
    // The check itself can fail.
    let state = schemas.route("GET /api/state", "answer");
    assert!(schemas.check(state, &json!({"title": "x"}), "state").is_err());
    let mut more = ada.get("/api/state").json();
    more["q"] = json!(0.5);
    assert!(schemas.check(state, &more, "state").is_err());
}
