//! M7 in the browser: one socket for the whole application. When to open it, what to send and what to
//! send again is the link's to decide; here it is done.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use client_core::{Connection, Effect as Deed, Input, Link, News, SocketId, Wish};
use js_sys::Date;
use leptos::prelude::*;
use send_wrapper::SendWrapper;
use wasm_bindgen::JsCast as _;
use wasm_bindgen::closure::Closure;
use web_sys::{CloseEvent, Event, MessageEvent, WebSocket};

use crate::browser::{random, window};

type Listener = Rc<dyn Fn(&News<'_>)>;

/// The connection of this page.
#[derive(Clone)]
pub(crate) struct Realtime {
    inner: SendWrapper<Rc<Inner>>,
    state: RwSignal<Connection>,
}

struct Inner {
    link: RefCell<Link>,
    socket: RefCell<Option<Socket>>,
    wake: RefCell<Option<TimeoutHandle>>,
    listeners: RefCell<Vec<(u64, Listener)>>,
}

/// A socket, and what it calls; both end together.
struct Socket {
    web: WebSocket,
    _on_message: Closure<dyn Fn(MessageEvent)>,
    _on_close: Closure<dyn Fn(CloseEvent)>,
}

impl Drop for Socket {
    fn drop(&mut self) {
        self.web.set_onmessage(None);
        self.web.set_onclose(None);
        // One that is closed already stays so.
        let _ = self.web.close();
    }
}

/// This screen's time.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "milliseconds since 1970 are positive and exact"
)]
pub(crate) fn now_ms() -> u64 {
    Date::now() as u64
}

impl Realtime {
    /// Not connected yet.
    pub(crate) fn start() -> Realtime {
        let inner = Inner {
            link: RefCell::new(Link::new(random())),
            socket: RefCell::default(),
            wake: RefCell::default(),
            listeners: RefCell::default(),
        };
        let state = RwSignal::new(Connection::Offline);
        let realtime = Realtime { inner: SendWrapper::new(Rc::new(inner)), state };
        for (name, is_up) in [("online", true), ("offline", false)] {
            let this = realtime.clone();
            let notice =
                Closure::<dyn Fn(Event)>::new(move |_| this.handle(Input::Network { is_up }));
            // Refused by no browser; without it the next try is only later.
            let _ =
                window().add_event_listener_with_callback(name, notice.as_ref().unchecked_ref());
            notice.forget();
        }
        realtime
    }

    /// How the connection stands.
    pub(crate) fn state(&self) -> Connection {
        self.state.get()
    }

    /// Somebody is logged in: be connected.
    pub(crate) fn connect(&self) {
        self.handle(Input::Connect);
    }

    /// Nobody is: be connected no more.
    pub(crate) fn disconnect(&self) {
        self.handle(Input::Disconnect);
    }

    /// Wants something; what becomes of it is news.
    pub(crate) fn wish(&self, wish: Wish) {
        self.handle(Input::Wish(wish));
    }

    /// Is told all news until the page that listens is gone.
    pub(crate) fn listen(&self, listener: impl Fn(&News<'_>) + 'static) {
        let id = random();
        self.inner.listeners.borrow_mut().push((id, Rc::new(listener)));
        let this = self.clone();
        on_cleanup(move || this.inner.listeners.borrow_mut().retain(|(it, _)| *it != id));
    }

    fn handle(&self, input: Input<'_>) {
        // Let go of before anybody is told: they may want something at once.
        let deeds = self.inner.link.borrow_mut().handle(now_ms(), input);
        for deed in deeds {
            match deed {
                Deed::Open(id) => self.open(id),
                Deed::Close(_) => drop(self.inner.socket.take()),
                Deed::Send(text) => {
                    let socket = self.inner.socket.borrow();
                    let is_open = |it: &&Socket| it.web.ready_state() == WebSocket::OPEN;
                    // One that is closing says so by itself; to send there is an error in the console.
                    if let Some(socket) = socket.as_ref().filter(is_open) {
                        // As above: it may have begun to close just now.
                        let _ = socket.web.send_with_str(&text);
                    }
                }
                Deed::WakeAt(at_ms) => self.wake_at(at_ms),
                Deed::Tell(news) => self.tell(&news),
            }
        }
    }

    fn open(&self, id: SocketId) {
        let location = window().location();
        let scheme = if location.protocol().is_ok_and(|it| it == "https:") { "wss" } else { "ws" };
        let host = location.host().unwrap_or_default();
        let Ok(socket) = WebSocket::new(&format!("{scheme}://{host}/api/v1/ws")) else {
            return self.handle(Input::Closed { socket: id, code: 1006 });
        };
        let this = self.clone();
        let on_message = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
            if let Some(text) = event.data().as_string() {
                this.handle(Input::Received { socket: id, text: &text });
            }
        });
        let this = self.clone();
        let on_close = Closure::<dyn Fn(CloseEvent)>::new(move |event: CloseEvent| {
            this.handle(Input::Closed { socket: id, code: event.code() });
        });
        socket.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        socket.set_onclose(Some(on_close.as_ref().unchecked_ref()));
        let socket = Socket { web: socket, _on_message: on_message, _on_close: on_close };
        self.inner.socket.replace(Some(socket));
    }

    fn wake_at(&self, at_ms: u64) {
        let this = self.clone();
        let after = Duration::from_millis(at_ms.saturating_sub(now_ms()));
        let wake = set_timeout_with_handle(move || this.handle(Input::Tick), after).ok();
        if let Some(old) = self.inner.wake.replace(wake) {
            old.clear();
        }
    }

    fn tell(&self, news: &News<'_>) {
        if let News::Connection(state) = news {
            self.state.set(*state);
        }
        let listeners = self.inner.listeners.borrow().clone();
        for (_, listener) in listeners {
            listener(news);
        }
    }
}
