//! What is heard: a few short tones, made in the browser, so that there is no file to load.
//!
//! A browser lets a page sound only after people have touched it; until then, and while sound is off,
//! nothing is heard.

use std::cell::{Cell, RefCell};

use leptos::prelude::*;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{AudioContext, Event, OscillatorType};

use crate::browser::window;
use crate::settings::Settings;

/// What a sound says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sound {
    /// Something was moved, laid or built.
    Move,
    /// Something was taken.
    Capture,
    /// It is the own turn.
    YourTurn,
    /// The match is over.
    End,
}

/// A tone: how high in hertz, when it begins and how long it lasts in seconds.
type Tone = (f32, f64, f64);

impl Sound {
    /// All, with what each says.
    pub(crate) const ALL: [(Sound, &str); 4] = [
        (Sound::Move, "A move"),
        (Sound::Capture, "A capture"),
        (Sound::YourTurn, "Your turn"),
        (Sound::End, "The end"),
    ];

    fn tones(self) -> &'static [Tone] {
        match self {
            Sound::Move => &[(330.0, 0.0, 0.07)],
            Sound::Capture => &[(330.0, 0.0, 0.06), (196.0, 0.05, 0.1)],
            Sound::YourTurn => &[(523.0, 0.0, 0.1), (659.0, 0.1, 0.16)],
            Sound::End => &[(392.0, 0.0, 0.16), (523.0, 0.15, 0.16), (659.0, 0.3, 0.35)],
        }
    }
}

/// A tone that begins or ends at once clicks.
const RISE_S: f64 = 0.008;
/// As loud as a tone gets: several at once must not clip.
const PEAK: f32 = 0.35;
/// Next to nothing: a curve of this kind never reaches zero.
const SILENCE: f32 = 0.001;

thread_local! {
    /// From 0 to 1.
    static LOUDNESS: Cell<f32> = const { Cell::new(0.0) };
    /// Once the page was touched.
    static CONTEXT: RefCell<Option<AudioContext>> = const { RefCell::new(None) };
}

/// Follows the settings, and waits for the first touch.
pub(crate) fn start(settings: Settings) {
    Effect::new(move || {
        let chosen = settings.get();
        let percent = if chosen.has_sound { chosen.volume.percent() } else { 0 };
        LOUDNESS.set(f32::from(percent) / 100.0);
    });
    let wake = Closure::<dyn Fn(Event)>::new(|_| wake());
    for event in ["pointerdown", "keydown"] {
        // Refused by no browser; without it there would be no sound.
        let _ = window().add_event_listener_with_callback(event, wake.as_ref().unchecked_ref());
    }
    wake.forget();
}

fn wake() {
    CONTEXT.with_borrow_mut(|context| {
        if context.is_none() {
            // A browser without a loudspeaker stays silent.
            *context = AudioContext::new().ok();
        }
    });
}

/// Plays a sound now, if there is to be any.
pub(crate) fn play(sound: Sound) {
    let loudness = LOUDNESS.get();
    if loudness == 0.0 {
        return;
    }
    CONTEXT.with_borrow(|context| {
        if let Some(context) = context {
            for tone in sound.tones() {
                // A tone that cannot be made is not worth a word.
                let _ = play_tone(context, *tone, loudness * PEAK);
            }
        }
    });
}

fn play_tone(
    context: &AudioContext,
    (hertz, begin, length): Tone,
    peak: f32,
) -> Result<(), JsValue> {
    let (tone, loudness) = (context.create_oscillator()?, context.create_gain()?);
    let begin = context.current_time() + begin;
    tone.set_type(OscillatorType::Triangle);
    tone.frequency().set_value(hertz);
    loudness.gain().set_value_at_time(SILENCE, begin)?;
    loudness.gain().exponential_ramp_to_value_at_time(peak.max(SILENCE), begin + RISE_S)?;
    loudness.gain().exponential_ramp_to_value_at_time(SILENCE, begin + length)?;
    tone.connect_with_audio_node(&loudness)?;
    loudness.connect_with_audio_node(&context.destination())?;
    tone.start_with_when(begin)?;
    tone.stop_with_when(begin + length)
}
