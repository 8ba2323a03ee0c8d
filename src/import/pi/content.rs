//! Content: a string, or a list of text, thinking, tool call and image blocks.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::block::BlockFields;
use crate::import::extra::quoted;
use crate::import::json::Raw;
use crate::import::object::Fill;
use crate::import::slot::{Sink, Slot};
use crate::transcript::{Block, Content, JsonText, Text};

/// Reads content; `place` is that of the list, such as `message.content`.
pub(super) struct ContentSeed<'s, R> {
    sink: &'s mut Sink,
    place: &'s str,
    raw: PhantomData<R>,
}

impl<'s, R> ContentSeed<'s, R> {
    pub(super) fn new(sink: &'s mut Sink, place: &'s str) -> Self {
        Self { sink, place, raw: PhantomData }
    }
}

/// Content of one string.
fn plain(text: &str) -> Content {
    Content { blocks: vec![Block::Text(Text::new(text))], plain: true }
}

impl<'de, R: Raw<'de>> DeserializeSeed<'de> for ContentSeed<'_, R> {
    type Value = Slot<Content>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Slot<Content>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, R: Raw<'de>> Visitor<'de> for ContentSeed<'_, R> {
    type Value = Slot<Content>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or a list of blocks")
    }
    fn visit_str<E>(self, text: &str) -> Result<Slot<Content>, E> {
        Ok(Slot::Good(plain(text)))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Slot<Content>, A::Error> {
        let mut blocks = Vec::new();
        while let Some(read) = seq.next_element_seed(Element::<R>(PhantomData))? {
            let place = (self.place, blocks.len());
            blocks.extend(read.into_block(self.sink, place));
        }
        Ok(Slot::Good(Content { blocks, plain: false }))
    }
    fn visit_unit<E>(self) -> Result<Slot<Content>, E> {
        Ok(Slot::Null)
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Slot<Content>, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Slot::Wrong)
    }
    fn visit_u64<E>(self, _: u64) -> Result<Slot<Content>, E> {
        Ok(Slot::Wrong)
    }
    fn visit_i64<E>(self, _: i64) -> Result<Slot<Content>, E> {
        Ok(Slot::Wrong)
    }
    fn visit_f64<E>(self, _: f64) -> Result<Slot<Content>, E> {
        Ok(Slot::Wrong)
    }
    fn visit_bool<E>(self, _: bool) -> Result<Slot<Content>, E> {
        Ok(Slot::Wrong)
    }
}

/// One element of a list of blocks.
enum ElementRead<'de, R> {
    Block(BlockFields<'de, R>),
    /// Not an object: its JSON text.
    Odd(String),
}

impl<R> ElementRead<'_, R> {
    fn into_block(self, sink: &mut Sink, place: (&str, usize)) -> Option<Block> {
        match self {
            Self::Block(fields) => fields.finish(sink, place),
            Self::Odd(json) => {
                sink.bad(format!("`{}.{}` is not an object; kept as JSON", place.0, place.1));
                JsonText::new(json).map(Block::Other)
            }
        }
    }
}

struct Element<R>(PhantomData<R>);

impl<'de, R: Raw<'de>> DeserializeSeed<'de> for Element<R> {
    type Value = ElementRead<'de, R>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, R: Raw<'de>> Visitor<'de> for Element<R> {
    type Value = ElementRead<'de, R>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a block")
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        Ok(match Fill(BlockFields::default()).visit_map(map)? {
            Slot::Good(fields) => ElementRead::Block(fields),
            _ => ElementRead::Odd("null".to_owned()),
        })
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut parts = Vec::new();
        while let Some(raw) = seq.next_element::<R>()? {
            parts.push(raw.into_text());
        }
        Ok(ElementRead::Odd(format!("[{}]", parts.join(","))))
    }
    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(ElementRead::Odd(quoted(text)))
    }
    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(ElementRead::Odd("null".to_owned()))
    }
    fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
        Ok(ElementRead::Odd(value.to_string()))
    }
    fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
        Ok(ElementRead::Odd(value.to_string()))
    }
    fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
        Ok(ElementRead::Odd(value.to_string()))
    }
    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(ElementRead::Odd(value.to_string()))
    }
}
