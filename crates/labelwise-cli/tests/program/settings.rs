//! Settings: where they come from, who wins, and what is said of those that cannot be.

use insta::assert_snapshot;
use serde_json::Value;

use crate::run::Folder;

const FILE: &str = "# Mine.\nlevel = 0.9\nwho = \"Ada\"\n";

#[test]
fn defaults() {
    assert_snapshot!("defaults", Folder::new().transcript(&["config", "show"]));
    assert_snapshot!("defaults_json", Folder::new().transcript(&["config", "show", "--json"]));
}

#[test]
fn what_is_shown_is_a_file_of_settings() {
    let folder =
        Folder::new().with("labelwise.toml", "seed = 0x1f\nformat = \"jsonl\"\nwho = 'a \"b\" \\c'\n");
    let show = || folder.command(&["config", "show"]).output().unwrap().stdout;
    let shown = show();
    std::fs::write(folder.path("labelwise.toml"), &shown).unwrap();
    let again = String::from_utf8(show()).unwrap();
    let values =
        |text: &str| text.lines().map(|line| line.split('#').next().unwrap().trim().to_owned()).collect();
    let (before, after): (Vec<String>, Vec<String>) =
        (values(std::str::from_utf8(&shown).unwrap()), values(&again));
    assert_eq!(before, after);
    assert!(before.contains(&"seed = 31".to_owned()), "{before:?}");
    assert_eq!(again.matches("./labelwise.toml").count(), 6, "{again}");
}

/// The value and the origin of a setting, with a file in the folder, one of the user, and a variable.
fn level(folder: &str, user: &str, variable: &str) -> (Value, String) {
    let files =
        Folder::new().with("evaluations/labelwise.toml", folder).with("user/labelwise/config.toml", user);
    let mut command = files.command(&["config", "show", "evaluations/a.labelwise", "--json"]);
    command.env("XDG_CONFIG_HOME", files.path("user")).env("LABELWISE_LEVEL", variable);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let shown: Value = serde_json::from_slice(&output.stdout).unwrap();
    let found = shown["settings"].as_array().unwrap().iter().find(|entry| entry["key"] == "level").unwrap();
    let origin = found["origin"].as_str().unwrap().replace(files.path("user").to_str().unwrap(), "<user>");
    (found["value"].clone(), origin)
}

#[test]
fn the_nearest_wins() {
    let [folder, user] = ["level = 0.8\n", "level = 0.7\n"];
    let is = |value: f64, origin: &str| (Value::from(value), origin.to_owned());
    assert_eq!(level(folder, user, "0.6"), is(0.6, "environment variable LABELWISE_LEVEL"));
    assert_eq!(level(folder, user, ""), is(0.8, "evaluations/labelwise.toml"));
    assert_eq!(level("", user, ""), is(0.7, "<user>/labelwise/config.toml"));
    assert_eq!(level("", "", ""), is(0.95, "default"));
}

#[test]
fn a_command_takes_them_and_its_options_win() {
    let folder = Folder::new()
        .with("labelwise.toml", "level = 0.5\nseed = 4\n")
        .with("pool.csv", "id,prob_a,prob_b,y\nu,0.9,0.1,a\nv,0.6,0.4,b\nw,0.3,0.7,b\n");
    let simulate = ["simulate", "pool.csv", "--label-column", "y", "--budget", "2", "--runs", "3", "--json"];
    let settings = |arguments: &[&str]| {
        let found = folder.json(&[&simulate, arguments].concat());
        (found["level"].as_f64().unwrap(), found["seed"].as_u64().unwrap())
    };
    assert_eq!(settings(&[]), (0.5, 4));
    assert_eq!(settings(&["--level", "0.8", "--seed", "9"]), (0.8, 9));
}

#[test]
fn an_absolute_path_is_needed_for_the_user_s_folder_as_xdg_says() {
    let folder = Folder::new().with("user/labelwise/config.toml", "level = 0.7\n");
    let output = folder
        .command(&["config", "show"])
        .env("XDG_CONFIG_HOME", "user")
        .env("HOME", folder.path("home"))
        .output()
        .unwrap();
    assert!(String::from_utf8(output.stdout).unwrap().starts_with("level = 0.95"));
    let home = folder.with("home/.config/labelwise/config.toml", "level = 0.6\n");
    let mut command = home.command(&["config", "show"]);
    let output = command.env_remove("XDG_CONFIG_HOME").env("HOME", home.path("home")).output().unwrap();
    assert!(String::from_utf8(output.stdout).unwrap().starts_with("level = 0.6"));
}

#[test]
fn errors() {
    let refused = [
        ("unknown", "level = 0.9\n\nlevle = 0.9\n"),
        ("table", "[level]\nvalue = 0.9\n"),
        ("syntax", "level = 0.9\nwho = Ada\n"),
        ("twice", "seed = 1\nseed = 2\n"),
        ("level_in_per_cent", "level = 95\n"),
        ("level_text", "# Mine.\nlevel = \"0.9\"\n"),
        ("level_nan", "level = nan\n"),
        ("target", "target = \"world\"\n"),
        ("who_empty", "who = \"  \"\n"),
        ("who_number", "who = 7\n"),
        ("format", "format = \"xml\"\n"),
        ("color", "color = true\n"),
        ("seed_negative", "seed = -1\n"),
        ("seed_fraction", "seed = 1.5\n"),
        ("seed_huge", "seed = 99999999999999999999\n"),
    ];
    for (name, text) in refused {
        let folder = Folder::new().with("labelwise.toml", text);
        let text = folder.transcript(&["config", "show"]);
        assert!(text.contains("exit code: 2\n"), "{name}: {text}");
        assert_snapshot!(format!("error_{name}"), text);
    }
}

#[test]
fn a_file_that_another_place_overrides_must_be_in_order_too() {
    let folder = Folder::new().with("labelwise.toml", "level = 7\n");
    let mut command = folder.command(&["config", "show", "--json"]);
    let output = command.env("LABELWISE_LEVEL", "0.5").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let error: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(error["error"]["code"], "setting-value");
}

#[test]
fn errors_of_variables_and_files() {
    let folder = Folder::new().with("labelwise.toml", FILE);
    for (variable, value) in [
        ("LABELWISE_LEVEL", "95"),
        ("LABELWISE_TARGET", "world"),
        ("LABELWISE_FORMAT", "xml"),
        ("LABELWISE_COLOR", "mauve"),
        ("LABELWISE_SEED", "-1"),
        ("LABELWISE_WHO", "  "),
    ] {
        let output = folder.command(&["config", "show"]).env(variable, value).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{variable}");
        assert_snapshot!(format!("error_{variable}"), String::from_utf8(output.stderr).unwrap());
    }
    std::fs::remove_file(folder.path("labelwise.toml")).unwrap();
    std::fs::create_dir(folder.path("labelwise.toml")).unwrap();
    assert_snapshot!("error_folder", folder.transcript(&["config", "show"]));
}

#[test]
fn help_is_there_even_where_settings_are_broken() {
    let folder = Folder::new().with("labelwise.toml", "level = 7\n");
    let output = folder.command(&["config", "--help"]).output().unwrap();
    assert!(output.status.success());
}

#[test]
fn a_setting_is_changed_and_the_rest_of_its_file_stays() {
    let folder = Folder::new().with("labelwise.toml", "# Mine.\nlevel = 0.9 # sure\nwho = \"Ada\"");
    let run = |arguments: &[&str]| {
        let output = folder.command(arguments).env("XDG_CONFIG_HOME", folder.path("user")).output().unwrap();
        let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        (output.status.code(), said.replace(folder.path("user").to_str().unwrap(), "<user>"))
    };
    let file = |path: &str| std::fs::read_to_string(folder.path(path)).unwrap();
    let (code, said) = run(&["config", "set", "level", "0.8", "--here"]);
    assert_eq!((code, said.as_str()), (Some(0), "level = 0.8   # ./labelwise.toml\n"));
    run(&["config", "set", "seed", "7", "--here"]);
    assert_eq!(file("labelwise.toml"), "# Mine.\nlevel = 0.8 # sure\nwho = \"Ada\"\nseed = 7\n");
    // The user's own file, which need not be there, and which a nearer file overrides.
    let (code, said) = run(&["config", "set", "who", "Bob \"B\""]);
    assert_eq!(code, Some(0));
    assert!(
        said.ends_with(
            "note: <user>/labelwise/config.toml has the new value, but ./labelwise.toml overrides it here\n"
        ),
        "{said}"
    );
    assert_eq!(file("user/labelwise/config.toml"), "who = \"Bob \\\"B\\\"\"\n");
    for (arguments, sentence) in [
        (["level", "95"], "level cannot be \"95\": it must be a number above 0 and below 1, such as 0.95"),
        (["lvel", "0.9"], "\"lvel\" is not a setting; the settings are \"level\", \"target\", \"who\""),
        (["format", "xml"], "format cannot be \"xml\": it must be \"csv\", \"jsonl\" or \"table\""),
    ] {
        let (code, said) = run(&[&["config", "set"], &arguments[..]].concat());
        assert!(code == Some(2) && said.contains(sentence), "{said}");
    }
    assert_eq!(file("user/labelwise/config.toml").lines().count(), 1);
}

#[cfg(target_os = "linux")]
#[test]
fn nobody_has_to_say_who_they_are() {
    let who = |user: Option<&str>| {
        let folder = Folder::new();
        let mut command = folder.command(&["config", "show", "--json"]);
        command.env_remove("USER").env_remove("LOGNAME").env_remove("USERNAME");
        if let Some(user) = user {
            command.env("USER", user);
        }
        let shown: Value = serde_json::from_slice(&command.output().unwrap().stdout).unwrap();
        shown["settings"][2]["value"].as_str().unwrap().to_owned()
    };
    assert_eq!(who(Some("ada")), "ada");
    // Without a variable the list of users knows; the tests may run as anybody.
    let listed =
        String::from_utf8(std::process::Command::new("id").arg("-un").output().unwrap().stdout).unwrap();
    assert_eq!(who(None), listed.trim());
}
