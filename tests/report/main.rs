//! Reports, made from a run folder that is built here.

mod csv;
mod fixture;
mod html;
mod model;
mod terminal;
