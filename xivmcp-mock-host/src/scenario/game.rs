//! The verb `game`: a change of the game as JSON.

use serde_json::Value;

use crate::core::GameChange;

/// Reads a change.
pub(super) fn change(value: &Value) -> Result<GameChange, String> {
    let Value::Object(fields) = value else { return Err(format!("`game` must be an object, this is {value}")) };
    let mut change = GameChange::new();
    for (key, value) in fields {
        change = match &**key {
            "gil" => change.gil(signed(key, value)?),
            "items" => change.items(signed(key, value)?),
            "chat" => change.chat(signed(key, value)?),
            "zone" => change.zone(row(key, value)?),
            "world" => change.world(row(key, value)?),
            "character" => change.character(row(key, value)?.into()),
            "loggedIn" => change.logged_in(
                value.as_bool().ok_or_else(|| format!("`loggedIn` must be true or false, this is {value}"))?,
            ),
            "currency" => currencies(change, value)?,
            _ => {
                return Err(format!(
                    "`game` has no field `{key}`: it has gil, items, chat, currency, zone, world, character, loggedIn"
                ));
            }
        };
    }
    Ok(change)
}

fn currencies(mut change: GameChange, value: &Value) -> Result<GameChange, String> {
    let Value::Object(currencies) = value else {
        return Err(format!("`currency` must be an object from ids to numbers, this is {value}"));
    };
    for (id, amount) in currencies {
        let number = id.parse().map_err(|_| format!("`currency` has ids that are numbers, not {id:?}"))?;
        change = change.currency(number, signed(id, amount)?);
    }
    Ok(change)
}

/// A number that is added. The bound keeps sums far from overflowing.
fn signed(key: &str, value: &Value) -> Result<i64, String> {
    let bound = 1_000_000_000_000_i64;
    value
        .as_i64()
        .filter(|number| (-bound..=bound).contains(number))
        .ok_or_else(|| format!("`{key}` must be a whole number of at most 12 digits, this is {value}"))
}

fn row(key: &str, value: &Value) -> Result<u32, String> {
    let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
    number.ok_or_else(|| format!("`{key}` must be a number from 0 to 4294967295, this is {value}"))
}
