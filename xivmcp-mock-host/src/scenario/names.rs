//! `${name}` and `${name.path.0}` in the strings of a step: what earlier steps gave.

use std::collections::BTreeMap;

use serde_json::Value;

/// What was saved so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    saved: BTreeMap<String, Value>,
}

impl Names {
    pub(super) fn save(&mut self, name: &str, value: Value) {
        self.saved.insert(name.to_owned(), value);
    }

    /// These names, and one more.
    pub(super) fn with(&self, name: &str, value: Value) -> Self {
        let mut names = self.clone();
        names.save(name, value);
        names
    }

    /// Puts in what was saved. A name alone in its string gives the value with its type.
    pub(super) fn fill(&self, value: &Value) -> Result<Value, String> {
        Ok(match value {
            Value::String(text) => self.fill_text(text)?,
            Value::Array(items) => Value::Array(items.iter().map(|item| self.fill(item)).collect::<Result<_, _>>()?),
            Value::Object(fields) => {
                let filled = fields.iter().map(|(key, value)| Ok((key.clone(), self.fill(value)?)));
                Value::Object(filled.collect::<Result<_, String>>()?)
            }
            other => other.clone(),
        })
    }

    /// An expectation with its names put in. What a name alone in its string gives is expected as it is: a `~`, `/` or `*`
    /// that it begins with is no mark.
    pub(super) fn fill_expected(&self, expected: &Value) -> Result<Value, String> {
        Ok(match expected {
            Value::String(text) if is_one_use(text) => literal(self.fill_text(text)?),
            Value::String(text) => self.fill_text(text)?,
            Value::Array(items) => {
                Value::Array(items.iter().map(|item| self.fill_expected(item)).collect::<Result<_, _>>()?)
            }
            Value::Object(fields) => {
                let filled = fields.iter().map(|(key, value)| Ok((key.clone(), self.fill_expected(value)?)));
                Value::Object(filled.collect::<Result<_, String>>()?)
            }
            other => other.clone(),
        })
    }

    /// JSON text with its names put in: byte for byte where it uses none. Text that stands alone stays text.
    pub(super) fn fill_json(&self, raw: &str) -> Result<Value, String> {
        let value: Value = serde_json::from_str(raw).map_err(|error| error.to_string())?;
        let mut used = Vec::new();
        used_names(&value, &mut used);
        Ok(match self.fill(&value)? {
            Value::String(text) => Value::String(text),
            _ if used.is_empty() => Value::String(raw.to_owned()),
            filled => Value::String(filled.to_string()),
        })
    }

    fn fill_text(&self, text: &str) -> Result<Value, String> {
        if let Some(Use { start: 0, end, path }) = uses(text).next()
            && end == text.len()
        {
            return self.look_up(path);
        }
        let mut filled = String::new();
        let mut rest = 0;
        for Use { start, end, path } in uses(text) {
            filled.push_str(&text[rest..start]);
            match self.look_up(path)? {
                Value::String(text) => filled.push_str(&text),
                other => filled.push_str(&other.to_string()),
            }
            rest = end;
        }
        filled.push_str(&text[rest..]);
        Ok(Value::String(filled))
    }

    fn look_up(&self, path: &str) -> Result<Value, String> {
        let mut parts = path.split('.');
        let name = parts.next().unwrap_or_default();
        let mut value = self.saved.get(name).ok_or_else(|| format!("${{{path}}}: nothing was saved as {name} yet"))?;
        for part in parts {
            let next = match value {
                Value::Object(fields) => fields.get(part),
                Value::Array(items) => part.parse::<usize>().ok().and_then(|index| items.get(index)),
                _ => None,
            };
            value = next.ok_or_else(|| format!("${{{path}}}: there is no {part} in {value}"))?;
        }
        Ok(value.clone())
    }
}

/// Whether a text is one name and nothing else.
fn is_one_use(text: &str) -> bool {
    uses(text).next().is_some_and(|used| used.start == 0 && used.end == text.len())
}

/// A value as an expectation that only it matches, as far as texts go: marks at their beginning are doubled.
fn literal(value: Value) -> Value {
    match value {
        Value::String(text) if text.starts_with(['~', '/', '*']) => Value::String(format!("{}{text}", &text[..1])),
        Value::Array(items) => Value::Array(items.into_iter().map(literal).collect()),
        Value::Object(fields) => Value::Object(fields.into_iter().map(|(key, value)| (key, literal(value))).collect()),
        other => other,
    }
}

struct Use<'a> {
    start: usize,
    end: usize,
    path: &'a str,
}

/// The uses of names in a text. `${` with something else behind it is text.
fn uses(text: &str) -> impl Iterator<Item = Use<'_>> {
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let start = from + text[from..].find("${")?;
            let inside = start + 2;
            let length = text[inside..].find('}')?;
            let path = &text[inside..inside + length];
            if is_path(path) {
                from = inside + length + 1;
                return Some(Use { start, end: from, path });
            }
            from = inside;
        }
    })
}

fn is_path(path: &str) -> bool {
    let word = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || "_-".contains(c));
    path.split('.').all(word)
}

/// The names that a value uses.
pub(super) fn used_names(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::String(text) => {
            into.extend(uses(text).map(|used| used.path.split('.').next().unwrap_or_default().to_owned()));
        }
        Value::Array(items) => items.iter().for_each(|item| used_names(item, into)),
        Value::Object(fields) => fields.values().for_each(|value| used_names(value, into)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_name_alone_keeps_its_type_and_inside_a_text_it_is_text() {
        let mut names = Names::default();
        names.save("reply", json!({"job": {"id": "0a", "n": 3}, "list": [true, null]}));
        let cases = [
            (json!("${reply.job.id}"), json!("0a")),
            (json!("${reply.job.n}"), json!(3)),
            (json!("n=${reply.job.n}, id=${reply.job.id}"), json!("n=3, id=0a")),
            (json!(["${reply.list.0}", {"k": "${reply.list}"}]), json!([true, {"k": [true, null]}])),
            (json!("${ reply }, ${}, ${a b}, {{x.y}}, $"), json!("${ reply }, ${}, ${a b}, {{x.y}}, $")),
        ];
        for (given, filled) in cases {
            assert_eq!(names.fill(&given).unwrap(), filled);
        }
        assert!(names.fill(&json!("${other}")).unwrap_err().contains("nothing was saved as other"));
        assert!(names.fill(&json!("${reply.job.x}")).unwrap_err().contains("there is no x"));
    }
}
