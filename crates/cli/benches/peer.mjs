// What Parlor's load is compared with (`cargo xtask bench peer`): Node, the package `ws`, plain objects in
// memory. It says the same bytes as Parlor, and has no framework, no storage, no clocks, no limits and no
// way to resume. Prints the port that it listens on.
import { createServer } from 'node:http';
import { createHash, randomBytes } from 'node:crypto';
import { WebSocketServer } from 'ws';

const users = new Map(); // token -> { id, name, token }
const lobbies = new Map(); // id -> { id, players }
const matches = new Map(); // id -> match
let serial = 0;
const newId = () => (++serial).toString(36).padStart(13, '0'); // as long as Parlor's

// ---- Santorini, as much as is needed to keep a true board -------------------------------------

const CELL = []; // 0..24 -> 'a1'
const INDEX = new Map(); // 'a1' -> 0..24
for (let i = 0; i < 25; i++) {
  CELL.push('abcde'[i % 5] + ((i / 5 | 0) + 1));
  INDEX.set(CELL[i], i);
}
const NEAR = CELL.map((_, a) => CELL.map((_, b) => b).filter(b =>
  b !== a && Math.abs(a % 5 - b % 5) <= 1 && Math.abs((a / 5 | 0) - (b / 5 | 0)) <= 1));
const NOTHING = {
  worker: null, began: null, built_first: null, built: null, is_gliding: false, has_climbed: false,
};
const NO_CLOCK = { remaining_ms: [], running: [] };

function newMatch(players) {
  return {
    id: newId(), players, sockets: [null, null], seed: randomBytes(32).toString('hex'),
    log: [], ply: 0, toAct: 0, turn: 0,
    towers: new Uint8Array(25), // 0 to 3 blocks, 4: a dome too
    // Sent as it is.
    view: {
      levels: ['00000', '00000', '00000', '00000', '00000'], workers: [[], []], to_act: [0], phase: 'place',
      gods: ['mortal', 'mortal'], turn_so_far: NOTHING, no_climb: false, last: null, ended: null,
    },
  };
}

const isFree = (m, cell) => m.towers[cell] < 4
  && !m.view.workers[0].includes(CELL[cell]) && !m.view.workers[1].includes(CELL[cell]);

// Does the action; false if it is none for now. Checked: the form, the phase, whose worker it is, and
// that the target is free. Not checked: adjacency, height, that the turn can be finished.
function apply(m, seat, action) {
  const view = m.view, own = view.workers[seat];
  if (view.phase === 'move') {
    const from = action.slice(0, 2), to = action.slice(3);
    const a = INDEX.get(from), b = INDEX.get(to), at = own.indexOf(from);
    if (action[2] !== '-' || b === undefined || at < 0 || !isFree(m, b)) return false;
    own[at] = to;
    if (INDEX.get(own[0]) > INDEX.get(own[1])) own.reverse();
    const climbs = m.towers[b] > m.towers[a];
    view.turn_so_far = { ...NOTHING, worker: to, began: from, has_climbed: climbs };
    view.phase = 'build';
    if (climbs && m.towers[b] === 3) end(m, seat, 'climbed');
  } else if (view.phase === 'build') {
    const cell = INDEX.get(action.slice(1));
    if (action[0] !== '+' || cell === undefined || !isFree(m, cell)) return false;
    m.towers[cell]++;
    const row = cell / 5 | 0, column = cell % 5, text = view.levels[row];
    view.levels[row] = text.slice(0, column) + m.towers[cell] + text.slice(column + 1);
    view.phase = 'move';
    endTurn(m);
  } else {
    const first = action.slice(6, 8), second = action.slice(9);
    const a = INDEX.get(first), b = INDEX.get(second);
    if (!action.startsWith('place:') || !(a < b) || !isFree(m, a) || !isFree(m, b)) return false;
    own.push(first, second);
    view.phase = seat === 0 ? 'place' : 'move';
    endTurn(m);
  }
  return true;
}

function endTurn(m) {
  const view = m.view, seat = m.toAct = 1 - m.toAct;
  m.turn++;
  view.to_act = [seat];
  view.turn_so_far = NOTHING;
  const own = view.workers[seat];
  if (own.length === 0) return;
  // Who cannot move has lost; whoever moves can build where it came from.
  for (const text of own) {
    const from = INDEX.get(text);
    for (const to of NEAR[from]) {
      if (m.towers[to] <= m.towers[from] + 1 && isFree(m, to)) return;
    }
  }
  end(m, 1 - seat, 'stuck');
}

function end(m, winner, reason) {
  m.view.ended = { winner, reason };
  m.view.to_act = [];
}

// ---- The socket ---------------------------------------------------------------------------------

const error = (ws, code) => ws.send(JSON.stringify({ type: 'error', code }));
const refuse = (ws, m, nonce, code) =>
  ws.send(JSON.stringify({ type: 'refused', match: m.id, nonce, code, ply: m.ply }));

function outcome({ winner, reason }) {
  return { places: winner === 0 ? [1, 2] : [2, 1], reason: reason.forfeit ?? reason };
}

function onMessage(data) {
  const message = JSON.parse(data);
  const m = matches.get(message.match);
  if (m === undefined) return error(this, 'not_found');
  switch (message.type) {
    case 'act': return act(this, m, message);
    case 'join': return join(this, m);
    case 'resign': return resign(this, m);
    default: return error(this, 'unknown_type');
  }
}

function act(ws, m, { ply, action, nonce }) {
  const seat = m.sockets[0] === ws ? 0 : m.sockets[1] === ws ? 1 : -1;
  if (m.view.ended !== null) return refuse(ws, m, nonce, 'game_over');
  if (seat !== m.toAct) return refuse(ws, m, nonce, 'not_your_turn');
  if (ply !== m.ply) return refuse(ws, m, nonce, 'unknown_ply');
  if (typeof action !== 'string' || !apply(m, seat, action)) return refuse(ws, m, nonce, 'invalid_action');
  m.log.push({ seat, at_ms: Date.now(), nonce, action });
  m.ply++;
  const view = m.view;
  view.last = { seat, action };
  const ack = JSON.stringify({ type: 'ack', match: m.id, nonce, ply: m.ply });
  const event = JSON.stringify({
    type: 'event', match: m.id, ply: m.ply,
    event: { seat, action, displaced: null, ended: view.ended },
    view, notation: action, clock: NO_CLOCK,
  });
  const over = view.ended === null ? null
    : JSON.stringify({ type: 'over', match: m.id, outcome: outcome(view.ended) });
  const other = m.sockets[1 - seat];
  // One write a seat.
  ws._socket.cork();
  ws.send(ack);
  ws.send(event);
  if (over !== null) ws.send(over);
  ws._socket.uncork();
  if (other === null) return;
  if (over !== null) other._socket.cork();
  other.send(event);
  if (over !== null) {
    other.send(over);
    other._socket.uncork();
  }
}

function join(ws, m) {
  const seat = m.players.indexOf(ws.user);
  if (seat < 0) return error(ws, 'forbidden');
  m.sockets[seat] = ws;
  ws.send(JSON.stringify({
    type: 'snapshot', match: m.id, game: 'santorini', ply: m.ply, viewer: seat, view: m.view,
    seats: m.players.map(({ name }, at) => ({ name, present: m.sockets[at] !== null })),
    spectators: 0, clock: NO_CLOCK, status: m.view.ended === null ? 'running' : 'over', offers: [],
    commitment: commitment(m),
  }));
}

function resign(ws, m) {
  const seat = m.players.indexOf(ws.user);
  if (seat < 0 || m.view.ended !== null) return error(ws, 'game_over');
  m.log.push({ seat, at_ms: Date.now(), nonce: 0, forfeit: 'resigned' });
  m.ply++;
  end(m, 1 - seat, { forfeit: 'resigned' });
  const over = JSON.stringify({ type: 'over', match: m.id, outcome: outcome(m.view.ended) });
  for (const socket of m.sockets) socket?.send(over);
}

// ---- The log, told after the run: what the load's check replays ---------------------------------

const OPTIONS = '{"gods":["mortal","mortal"]}';
const sha256 = data => createHash('sha256').update(data).digest('hex');
const commitment = m => sha256(`santorini\n1\n${OPTIONS}\n${m.seed}\n`);

function log(m) {
  return {
    format: 1, game: 'santorini', rules_version: 1, options: JSON.parse(OPTIONS), seats: 2,
    seed: m.seed, commitment: commitment(m),
    entries: m.log.map(({ seat, at_ms, nonce, action, forfeit }, ply) =>
      ({ ply, seat, at_ms, nonce, epoch: 0, kind: action === undefined ? { forfeit } : { act: action } })),
    state_hash: stateHash(m),
  };
}

// What `derive(Hash)` feeds to SHA-256 of Parlor's state of Santorini.
function stateHash(m) {
  const { view, towers } = m, bytes = [];
  const u8 = n => bytes.push(Number(n));
  const u32 = n => bytes.push(n & 255, n >> 8 & 255, n >> 16 & 255, n >>> 24);
  const u64 = n => { u32(n); u32(0); };
  const set = has => u32(CELL.reduce((bits, _, i) => has(i) ? bits | 1 << i : bits, 0));
  const cell = text => u8(INDEX.get(text));
  const option = (value, write) => { u64(value === null ? 0 : 1); if (value !== null) write(value); };
  u64(3);
  for (const level of [1, 2, 3]) set(i => towers[i] >= level);
  set(i => towers[i] === 4);
  u64(2);
  for (const own of view.workers) set(i => own.includes(CELL[i]));
  u64(2); u8(0); u8(0); // gods
  u8(m.toAct);
  u64(['place', 'move', 'build'].indexOf(view.phase));
  const soFar = view.turn_so_far;
  for (const value of [soFar.worker, soFar.began, soFar.built_first, soFar.built]) option(value, cell);
  u8(soFar.is_gliding); u8(soFar.has_climbed);
  u8(view.no_climb);
  u32(m.turn);
  option(view.last, ({ seat, action }) => {
    u8(seat);
    const cells = action.match(/[a-e][1-5]/g);
    u64(action[0] === '+' ? 2 : cells && action[2] === '-' ? 1 : 0);
    cells.forEach(cell);
  });
  option(view.ended, ({ winner, reason }) => {
    u8(winner);
    u64(reason === 'climbed' ? 0 : reason === 'stuck' ? 2 : 3);
    if (reason.forfeit) u64(0);
  });
  return sha256(Uint8Array.from(bytes));
}

// ---- HTTP: what the load asks before and after --------------------------------------------------

const userOf = request => users.get((request.headers.authorization ?? '').slice('Bearer '.length));

function answer(response, status, value) {
  const body = JSON.stringify(value);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

function route(request, response) {
  const [, , , what, id, verb] = request.url.split('/'); // /api/v1/what/id/verb
  if (what === 'ready') return answer(response, 200, { status: 'ok' });
  if (what === 'guest') {
    const token = randomBytes(24).toString('base64url'), id = newId();
    const user = { id, name: `Guest ${id.slice(-6)}`, token };
    users.set(token, user);
    return answer(response, 200, { token, user: { id, name: user.name, role: 'guest' } });
  }
  const user = userOf(request);
  if (user === undefined) return answer(response, 401, { code: 'unauthorized' });
  if (what === 'lobbies' && id === undefined) {
    const lobby = { id: newId(), players: [user] };
    lobbies.set(lobby.id, lobby);
    return answer(response, 201, { id: lobby.id });
  }
  const lobby = what === 'lobbies' ? lobbies.get(id) : undefined;
  if (lobby !== undefined && verb === 'join' && lobby.players.length < 2) {
    lobby.players.push(user);
    return answer(response, 200, { id });
  }
  if (lobby !== undefined && verb === 'start' && lobby.players.length === 2 && lobby.players[0] === user) {
    const m = newMatch(lobby.players);
    matches.set(m.id, m);
    lobbies.delete(id);
    return answer(response, 201, { match: m.id });
  }
  const m = what === 'matches' && verb === 'log' ? matches.get(id) : undefined;
  if (m !== undefined && m.view.ended !== null) return answer(response, 200, log(m));
  return answer(response, 404, { code: 'not_found' });
}

const server = createServer((request, response) => {
  request.resume(); // No body matters here.
  request.on('end', () => route(request, response));
});
const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, clientTracking: false });
server.on('upgrade', (request, socket, head) => {
  const user = userOf(request);
  if (user === undefined) return socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n');
  sockets.handleUpgrade(request, socket, head, ws => {
    ws.user = user;
    ws.on('message', onMessage);
    ws.on('error', () => {});
    ws.send(JSON.stringify({ type: 'welcome', protocol: 1,
      user: { id: user.id, name: user.name, role: 'guest' }, time_ms: Date.now() }));
  });
});
server.listen(0, '127.0.0.1', 2048, () => console.log(server.address().port));
