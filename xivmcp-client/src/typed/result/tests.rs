//! How results arrive, and what JSON cannot say.

use std::collections::{BTreeMap, HashMap};

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::{AsIs, to_json};

fn written<T: Serialize>(value: T) -> String {
    to_json(&value).unwrap()
}

fn refused<T: Serialize>(value: T) -> String {
    to_json(&value).unwrap_err().message().strip_prefix("The tool's result cannot be written as JSON: ").unwrap().into()
}

#[derive(Serialize, Clone)]
struct Inner {
    world_x: f64,
}

#[derive(Serialize)]
enum Event {
    NothingYet,
    Moved(Inner),
    Pair(u8, Inner),
    ItemFound { item_id: u32, last_seen: Option<Inner> },
}

#[derive(Serialize)]
#[serde(tag = "event_kind")]
enum Tagged {
    ItemFound { item_id: u32 },
    Moved(Inner),
}

#[derive(Serialize)]
#[serde(untagged)]
enum Untagged {
    ItemFound { item_id: u32 },
}

#[derive(Serialize)]
struct Unit;

#[derive(Serialize)]
struct New(Inner);

#[derive(Serialize)]
struct Pair(u8, Inner);

// R-CLI-10
#[test]
fn fields_of_structs_arrive_in_camel_case_at_any_depth() {
    #[derive(Serialize)]
    struct Report {
        kill_count: u32,
        #[serde(rename = "KeptAs")]
        renamed: u8,
        last_place: Option<Inner>,
        all_places: Vec<Inner>,
        by_zone: BTreeMap<String, Inner>,
        #[serde(skip_serializing_if = "Option::is_none")]
        not_there: Option<u8>,
    }
    let place = Inner { world_x: 0.5 };
    let report = Report {
        kill_count: 31,
        renamed: 1,
        last_place: Some(place.clone()),
        all_places: vec![place.clone(), place.clone()],
        by_zone: BTreeMap::from([("old_zone".into(), place)]),
        not_there: None,
    };
    assert_eq!(
        written(report),
        r#"{"killCount":31,"keptAs":1,"lastPlace":{"worldX":0.5},"allPlaces":[{"worldX":0.5},{"worldX":0.5}],"byZone":{"old_zone":{"worldX":0.5}}}"#
    );
}

// R-CLI-10
#[test]
fn variants_keep_their_names_and_their_fields_are_camel_case() {
    let place = Inner { world_x: 1.0 };
    assert_eq!(written(Event::NothingYet), r#""NothingYet""#);
    assert_eq!(written(Event::Moved(place.clone())), r#"{"Moved":{"worldX":1.0}}"#);
    assert_eq!(written(Event::Pair(1, place.clone())), r#"{"Pair":[1,{"worldX":1.0}]}"#);
    assert_eq!(
        written(Event::ItemFound { item_id: 1, last_seen: Some(place.clone()) }),
        r#"{"ItemFound":{"itemId":1,"lastSeen":{"worldX":1.0}}}"#
    );
    assert_eq!(written(Tagged::ItemFound { item_id: 1 }), r#"{"eventKind":"ItemFound","itemId":1}"#);
    assert_eq!(written(Tagged::Moved(place)), r#"{"eventKind":"Moved","worldX":1.0}"#);
    assert_eq!(written(Untagged::ItemFound { item_id: 1 }), r#"{"itemId":1}"#);
}

// R-CLI-10
#[test]
fn keys_of_maps_and_of_json_stay_as_they_are() {
    assert_eq!(written(json!({"kill_count": {"item_id": [1.5, null]}})), r#"{"kill_count":{"item_id":[1.5,null]}}"#);
    assert_eq!(written(HashMap::from([("kill_count", 1)])), r#"{"kill_count":1}"#);
    assert_eq!(written(BTreeMap::from([(7, 'x')])), r#"{"7":"x"}"#);
    assert_eq!(written(HashMap::from([(true, ())])), r#"{"true":null}"#);
}

// R-CLI-10
#[test]
fn names_inside_as_is_stay_and_those_beside_it_do_not() {
    #[derive(Serialize)]
    struct Report {
        left_alone: AsIs<Vec<Event>>,
        not_left: Inner,
    }
    let place = Inner { world_x: 1.0 };
    let found = Event::ItemFound { item_id: 1, last_seen: Some(place.clone()) };
    assert_eq!(
        written(Report { left_alone: AsIs(vec![found]), not_left: place.clone() }),
        r#"{"leftAlone":[{"ItemFound":{"item_id":1,"last_seen":{"world_x":1.0}}}],"notLeft":{"worldX":1.0}}"#
    );
    assert_eq!(serde_json::to_string(&AsIs(place)).unwrap(), r#"{"world_x":1.0}"#);
    assert_eq!(serde_json::from_str::<AsIs<u8>>("3").unwrap(), AsIs(3));
}

// R-CLI-10
#[test]
fn raw_json_and_numbers_pass_through_byte_for_byte() {
    #[derive(Serialize)]
    struct Report<'a> {
        raw_text: &'a RawValue,
        a_number: serde_json::Number,
    }
    let raw: Box<RawValue> = serde_json::from_str(r#"{ "kill_count" : 1.50 }"#).unwrap();
    let report = Report { raw_text: &raw, a_number: 7.into() };
    assert_eq!(written(report), r#"{"rawText":{ "kill_count" : 1.50 },"aNumber":7}"#);
    assert_eq!(written(&raw), raw.get());
}

// R-CLI-10
#[test]
fn a_struct_with_a_flattened_part_keeps_its_names_because_serde_shows_a_map() {
    #[derive(Serialize)]
    struct Flat {
        kill_count: u32,
        #[serde(flatten)]
        place: Inner,
        last_place: Inner,
    }
    let place = Inner { world_x: 1.0 };
    assert_eq!(
        written(Flat { kill_count: 1, place: place.clone(), last_place: place }),
        r#"{"kill_count":1,"world_x":1.0,"last_place":{"worldX":1.0}}"#
    );
}

// R-CLI-10
#[test]
fn two_fields_that_would_get_the_same_name_are_an_error() {
    #[derive(Serialize)]
    struct Twins {
        kill_count: u32,
        #[serde(rename = "killCount")]
        other: u32,
    }
    #[derive(Serialize)]
    struct Slots {
        slot_1: u8,
        slot1: u8,
    }
    #[derive(Serialize)]
    struct Holder {
        in_here: Vec<Twins>,
    }
    let twins = || Twins { kill_count: 1, other: 2 };
    assert_eq!(
        refused(Holder { in_here: vec![twins()] }),
        "at `inHere[0]`: the fields `killCount` and `kill_count` would both arrive as `killCount`: rename one, or wrap \
         the value in `AsIs`."
    );
    assert!(refused(Slots { slot_1: 1, slot1: 1 }).contains("`slot1` and `slot_1`"));
    assert_eq!(written(AsIs(twins())), r#"{"kill_count":1,"killCount":2}"#);
}

#[test]
fn the_same_name_in_different_structs_is_no_collision() {
    #[derive(Serialize)]
    struct Outer {
        slot_1: Part,
        slot_2: Part,
    }
    #[derive(Serialize)]
    struct Part {
        slot_1: u8,
    }
    let outer = Outer { slot_1: Part { slot_1: 1 }, slot_2: Part { slot_1: 2 } };
    assert_eq!(written(outer), r#"{"slot1":{"slot1":1},"slot2":{"slot1":2}}"#);
}

#[test]
fn a_number_that_json_does_not_have_is_an_error_with_its_path() {
    #[derive(Serialize)]
    struct Report {
        by_zone: BTreeMap<String, Vec<Event>>,
    }
    let found = |x| Event::ItemFound { item_id: 1, last_seen: Some(Inner { world_x: x }) };
    let report = |event| Report { by_zone: BTreeMap::from([("old zone".into(), vec![Event::NothingYet, event])]) };
    assert_eq!(
        refused(report(found(f64::NAN))),
        "at `byZone.old zone[1].ItemFound.lastSeen.worldX`: the number is NaN, which JSON does not have."
    );
    assert!(
        refused(report(Event::Moved(Inner { world_x: f64::INFINITY }))).contains("Moved.worldX`: the number is inf")
    );
    assert!(refused(report(Event::Pair(1, Inner { world_x: f64::NAN }))).contains("Pair[1].worldX`"));
    assert_eq!(refused(f32::NEG_INFINITY), "the number is -inf, which JSON does not have.");
    assert!(refused(AsIs(Inner { world_x: f64::NAN })).starts_with("at `world_x`"));
}

#[test]
fn a_key_that_is_no_text_is_an_error_with_its_path() {
    type ByPlace = BTreeMap<(i32, i32), u8>;
    #[derive(Serialize)]
    struct Report {
        by_place: Vec<(u8, ByPlace)>,
    }
    assert_eq!(
        refused(Report { by_place: vec![(1, BTreeMap::from([((1, 2), 3)]))] }),
        "at `byPlace[0][1]`: the key of a map must be a text, and a tuple is none."
    );
    assert!(refused(BTreeMap::from([(None::<u8>, 1)])).contains("`None`"));
    assert!(refused(BTreeMap::from([((), 1)])).contains("`()`"));
}

#[test]
fn an_authors_own_error_keeps_its_text_and_gets_a_path() {
    struct Fails;
    impl Serialize for Fails {
        fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            Err(serde::ser::Error::custom("no game here"))
        }
    }
    assert_eq!(refused(vec![Fails]), "at `[0]`: no game here.");
}

#[test]
fn everything_else_is_written_as_serde_json_writes_it() {
    fn same<T: Serialize>(value: T) {
        assert_eq!(to_json(&value).unwrap(), serde_json::to_string(&value).unwrap());
    }
    same(());
    same(Unit);
    same(None::<u8>);
    same(Some(Some(1)));
    same((1_i8, 2_u16, 3_i64, u64::MAX, i64::MIN, u128::MAX, i128::MIN));
    same((0.1_f32, 0.1_f64, 1e300, -0.0, 1.0));
    same("a \"quoted\" \\ \n \u{1} ä 💎");
    same(['x', '"', 'ä']);
    same([true, false]);
    same(Vec::<u8>::new());
    same(BTreeMap::<String, u8>::new());
    same(BTreeMap::from([("", "a"), ("\"", "b")]));
    same(BTreeMap::from([(Some('c'), 1)]));
    same(HashMap::from([(u128::MAX, 1)]));
    same(std::net::Ipv4Addr::LOCALHOST);
    same(BTreeMap::from([(std::net::Ipv4Addr::LOCALHOST, 1)]));
    same(std::time::Duration::from_millis(1500));
    same(json!({"a": [1, 2.5, "x", null, true, {"b": {}}]}));
    same(Value::Null);
    same(AsIs(New(Inner { world_x: 1.0 })));
    same(AsIs(Pair(1, Inner { world_x: 1.0 })));
}
