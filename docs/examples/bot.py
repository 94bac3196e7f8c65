"""Plays any game of a Parlor server by choosing from the legal actions.

    pip install 'websockets>=14'
    PARLOR_NAME=my-bot PARLOR_PASSWORD=… python3 bot.py http://localhost:8080 [LOBBY | GAME]

With a lobby's id it sits down there; with a game's key it waits to be paired, again and again; with
neither it plays the matches that its account already has.
"""

import asyncio
import json
import os
import random
import sys
import urllib.error
import urllib.request

import websockets

SERVER = sys.argv[1].rstrip("/")
GOAL = sys.argv[2] if len(sys.argv) > 2 else None


def ask(method, path, token=None, body=None):
    """One HTTP request; a refusal is a problem document with a stable `code`."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    data = None
    if body is not None:
        headers["Content-Type"], data = "application/json", json.dumps(body).encode()
    request = urllib.request.Request(f"{SERVER}/api/v1/{path}", data, headers, method=method)
    try:
        with urllib.request.urlopen(request) as answer:
            return json.loads(answer.read() or "null")
    except urllib.error.HTTPError as error:
        sys.exit(f"{method} {path}: {error.read().decode()}")


def choose(view, actions):
    """Your bot goes here: `view` is what your seat may know, `actions` what it may do."""
    return random.choice(actions)


async def say(socket, **message):
    """The server closes a connection that says more than 50 things a second."""
    await socket.send(json.dumps(message))
    await asyncio.sleep(0.03)


async def follow(socket, token, joined):
    """Joins every match of the account, and looks for another when there is none."""
    is_seated = False
    while True:
        running = [match["id"] for match in ask("GET", "matches", token)["matches"]]
        for match in running:
            if match not in joined:
                joined.add(match)
                await say(socket, type="join", match=match)
        if GOAL and not running and not is_seated:
            if len(GOAL) == 13 and GOAL[0].isdigit():
                ask("POST", f"lobbies/{GOAL}/join", token)
                is_seated = True
            else:
                ask("POST", "pairing", token, {"game": GOAL})
        await asyncio.sleep(2)


async def main():
    token = os.environ.get("PARLOR_TOKEN")
    if not token:
        login = {"username": os.environ["PARLOR_NAME"], "password": os.environ["PARLOR_PASSWORD"]}
        token = ask("POST", "login", body=login)["token"]
    address = SERVER.replace("http", "ws", 1) + "/api/v1/ws"
    headers = {"Authorization": f"Bearer {token}"}
    async with websockets.connect(address, additional_headers=headers, max_size=None) as socket:
        asyncio.create_task(follow(socket, token, set()))
        views, nonce = {}, random.getrandbits(40)
        async for text in socket:
            message = json.loads(text)
            kind, match = message["type"], message.get("match")
            if kind in ("snapshot", "event"):
                # The match stands differently: perhaps it is our turn.
                views[match] = message["view"]
                await say(socket, type="legal", match=match)
            elif kind == "legal" and message["actions"]:
                nonce += 1
                action = choose(views[match], message["actions"])
                act = {"ply": message["ply"], "action": action, "nonce": nonce}
                await say(socket, type="act", match=match, **act)
            elif kind == "offer" and message["state"] == "open":
                answer = {"kind": message["kind"], "accept": message["kind"] != "draw"}
                await say(socket, type="answer", match=match, **answer)
            elif kind == "refused" and message["code"] in ("busy", "unavailable", "rate_limited"):
                await say(socket, type="legal", match=match)
            elif kind == "over":
                print(match, message["outcome"], flush=True)


asyncio.run(main())
