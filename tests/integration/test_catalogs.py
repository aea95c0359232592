#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Catalogs that speak HTTP: the fixture of Apache Iceberg, SeaweedFS with OAuth and Nessie for real; Unity Catalog 0.6.0 and
Polaris 1.7.0 as recorded."""
import json
import os
import threading
import urllib.parse
import urllib.request

from check import Lab, awaited, end, laketop, ok, screen, service, settled, skip, status, story, until
from replay_http import Replay

own = Lab("catalogs", "light", "catalogs")
NOT_READ = "not read by this build"


def tables(profile=None):
    """catalog: {name: its row}, by every catalog that a row is in."""
    told = json.loads(laketop("tables", "--json", "--profile", profile or own.profile).stdout)
    found = {}
    for row in told["tables"]["tables"]:
        for where in (row["catalog"], *(w if isinstance(w, str) else w["catalog"] for w in row["also_in"])):
            found.setdefault(where, {})[row["name"]] = row
    return found


def port_of(section, role=""):
    lines, inside = open(own.profile, encoding="utf-8").read().splitlines(), False
    for line in lines:
        inside = line == f"[service {section}]" if line.startswith("[") else inside
        if inside and line.startswith(f"port{'.' + role if role else ''} = "):
            return int(line.split(" = ")[1])
    raise KeyError(section)


def ask(port, path, token=None, form=None):
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data=urllib.parse.urlencode(form).encode() if form else None)
    if token:
        request.add_header("Authorization", f"Bearer {token}")
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.load(answer)


def doors():
    """catalog: how its REST is reached by hand (port, path before the namespaces, separator, token)"""
    weed = port_of("seaweedfs", "iceberg")
    key, secret = ((own.home / "secret" / name).read_text().strip() for name in ("s3-key", "s3"))
    token = ask(weed, "/v1/oauth/tokens", form={"grant_type": "client_credentials", "client_id": key, "client_secret": secret})["access_token"]
    found = {"fixture": (port_of("iceberg-rest"), "/v1", "%2E", None), "weed": (weed, "/v1/tables", "%1F", token)}
    if service(status(profile=own.profile), "nessie"):
        found["nessie"] = (port_of("nessie"), "/iceberg/v1/main", "%1F", None)
    return found


def by_hand(door):
    """name: its LoadTableResult, for every table of every namespace"""
    port, base, separator, token = door
    spaces, found = [], {}

    def descend(parent):
        query = f"?parent={separator.join(parent)}" if parent else ""
        for space in ask(port, f"{base}/namespaces{query}", token)["namespaces"]:
            if space not in spaces:
                spaces.append(space)
                descend(space)
    descend([])
    for space in spaces:
        where = f"{base}/namespaces/{separator.join(space)}/tables"
        for entry in ask(port, where, token)["identifiers"]:
            found[".".join([*space, entry["name"]])] = ask(port, f"{where}/{urllib.parse.quote(entry['name'], safe='')}", token)
    return found


def every_table_is_listed():
    told = tables()
    for catalog, door in doors().items():
        truth = by_hand(door)
        ours = {n for n, row in told.get(catalog, {}).items() if row["format"] == "iceberg"}
        ok(f"{catalog}-lists-every-table", ours == set(truth) and len(truth) >= 3, f"{sorted(ours)} and {sorted(truth)}")
    view = told["fixture"].get("silver.recent", {})
    ok("a-view-is-one", view.get("format") == "view", view)


def every_table_is_loaded():
    told = tables()
    for catalog, door in doors().items():
        wrong, seen = [], 0
        for name, truth in by_hand(door).items():
            row, metadata = told.get(catalog, {}).get(name, {}), truth["metadata"]
            if NOT_READ in (row.get("error") or ""):
                continue
            seen += 1
            current = next((s for s in metadata.get("snapshots", []) if s["snapshot-id"] == metadata.get("current-snapshot-id")), None)
            files = int(current["summary"].get("total-data-files", -1)) if current else 0
            if row.get("snapshots") != len(metadata.get("snapshots", [])) or row.get("uuid") != metadata["table-uuid"] or row.get("data_files") != files:
                wrong.append((name, row.get("snapshots"), row.get("data_files"), files, row.get("error")))
        if not seen:
            skip(f"{catalog}-tables-have-the-counts-of-their-metadata", "this build reads no metadata")
        else:
            ok(f"{catalog}-tables-have-the-counts-of-their-metadata", not wrong, wrong)


def one_table_in_two_catalogs_is_one_row():
    told = tables()
    both = [n for n in told["fixture"] if n.startswith("kitchen.")]
    if any(NOT_READ in (told["fixture"][n]["error"] or "") for n in both):
        return skip("one-table-in-two-catalogs-is-one-row", "this build reads no metadata, which has the table's id")
    ok("one-table-in-two-catalogs-is-one-row", len(both) == 3 and all(told["lake"].get(n) is told["fixture"][n] for n in both), both)


def verdict(name):
    return service(status(profile=own.profile), name)


def storage_that_is_down_is_said_of_its_catalogs():
    own("break", "storage-stopped")
    try:
        catalogs = [name for name in ("iceberg-rest", "nessie") if verdict(name)]
        until(120, lambda: all(verdict(name)["verdict"] == "sick" for name in catalogs), 1)  # while they are young they are starting
        nessie, fixture = verdict("nessie"), verdict("iceberg-rest")
        if nessie:
            ok("nessie-without-its-storage-is-sick", nessie["verdict"] == "sick" and "Object Stores" in json.dumps(nessie), nessie.get("reason"))
        ok("a-fixture-without-its-storage-is-sick-and-lists", fixture["verdict"] == "sick" and "lists, but cannot read" in json.dumps(fixture) and
           fixture["figures"]["namespaces"]["value"] >= 3, fixture.get("reason"))
    finally:
        own("heal")
    ok("with-its-storage-back-all-is-well", until(60, lambda: verdict("iceberg-rest")["verdict"] == "serving"), verdict("iceberg-rest").get("reason"))


def a_refused_key_is_not_down():
    own("break", "refused-key")
    try:
        said = until(60, lambda: "refuses the credential" in (told := laketop("tables", "--profile", own.profile).stdout) and told, 1) or \
            laketop("tables", "--profile", own.profile).stdout
        line = next((x for x in said.splitlines() if x.startswith("weed:")), "")
        ok("a-refused-key-is-said-of-the-catalog", "refuses the credential" in said and all(s not in said for s in own.secrets()), line or said[:300])
    finally:
        own("heal")


def a_catalog_that_was_killed_keeps_its_last_known_tables():
    with screen("--profile", own.profile, columns=150, lines=45) as s:
        s.press("4")
        if not ok("the-tables-panel-shows-the-fixture", until(60, lambda: "clicks" in s.text() and "fixture" in s.text()), s.text()):
            return
        own("break", "killed:iceberg-rest")
        try:
            kept = until(150, lambda: (t := s.text()) and ("refused" in t.lower() or "nobody listens" in t) and "clicks" in t and "fixture" in t)
            ok("a-killed-catalog-keeps-its-last-known-tables", kept, s.text())
        finally:
            own("heal")


def without_a_profile_catalogs_are_found():
    nessie = service(status(profile=own.profile), "nessie")
    found = {"fixture": f"iceberg-rest:{port_of('iceberg-rest')}"} | ({"nessie": f"nessie:{port_of('nessie')}"} if nessie else {})
    weed, truth = f"seaweedfs-iceberg:{port_of('seaweedfs', 'iceberg')}", doors()

    def look():
        told = json.loads(laketop("tables", "--json", "--within", "60s", timeout=120).stdout)["tables"]
        catalogs = {c["catalog"]: c for c in told["catalogs"]}
        rows = {name: {t["name"]: t for t in told["tables"] if name in (t["catalog"], *t["also_in"])} for name in found.values()}
        for catalog, name in found.items():
            ours, theirs = {n for n, t in rows[name].items() if t["format"] == "iceberg"}, set(by_hand(truth[catalog]))
            yield f"{catalog}-is-found-with-every-table", catalogs[name]["found"] and ours == theirs and len(ours) >= 3, f"{sorted(ours)} and {sorted(theirs)}"
            closed = [t for t in rows[name].values() if (t["location"] or "").startswith("s3://") and t["snapshots"]]
            yield (f"{catalog}-on-s3-is-not-measured-and-no-failure", closed and all(
                not t["error"] and t["measured"] in ("summary", "no credential") and "not measured: no credential for s3://" in t["says"] for t in closed), closed)
        yield "a-found-catalog-that-asks-for-a-credential-says-so", catalogs[weed]["found"] and "credential" in (catalogs[weed]["error"] or ""), catalogs[weed]
    settled(120, lambda: list(look()))
    said = laketop("tables", "--within", "60s", timeout=120).stdout
    line = next((x for x in said.splitlines() if x.startswith(f"{weed}:")), said[:300])
    ok("it-says-what-the-profile-needs", "found, not in the profile; it asks for a credential. In a profile: [service x] kind = seaweedfs, port.iceberg = " in line, line)
    with screen(columns=170, lines=45) as s:
        s.press("4")
        ok("the-panel-shows-what-was-found", until(60, lambda: "clicks" in s.text() and any(
            "found, not in the profile: " in x and found["fixture"] in x for x in s.text().splitlines())), s.text())


# ---- as recorded ----

PROFILE = """[laketop]
profile = recorded
[service unity-catalog]
kind = unity-catalog
port = {unity}
[service polaris]
kind = polaris
port = {polaris}
port.management = {polaris}
user = root
password_file = {secret}
[catalog unity]
kind = unity
service = unity-catalog
[catalog uniform]
kind = iceberg-rest
service = unity-catalog
warehouse = unity
[catalog polaris]
kind = iceberg-rest
service = polaris
warehouse = lab
"""


def what_cannot_be_installed_is_met_as_recorded():
    with Replay("unity-catalog-0.6.0", "open") as unity, Replay("polaris-1.7.0", "paged") as polaris:
        for server in (unity, polaris):
            threading.Thread(target=server.serve_forever, daemon=True).start()
        secret, profile = own.home / "recorded-secret", own.home / "recorded.ini"
        secret.write_text("recorded\n")
        os.chmod(secret, 0o600)
        profile.write_text(PROFILE.format(unity=unity.server_address[1], polaris=polaris.server_address[1], secret=secret))
        uc, po = (awaited(name, lambda s: s["verdict"] == "serving", profile=str(profile)) for name in ("unity-catalog", "polaris"))
        ok("recorded-unity-catalog-serves", uc["verdict"] == "serving" and uc["figures"]["catalogs"]["value"] == 1, uc)
        ok("recorded-polaris-serves", po["verdict"] == "serving" and po["figures"]["catalogs"]["value"] == 2, po)
        found = tables(str(profile))
        ok("recorded-unity-catalog-lists-its-delta-tables", {n for n, r in found["unity"].items() if r["format"] == "delta"} == {
            f"unity.default.{t}" for t in ("marksheet", "marksheet_uniform", "numbers", "user_countries")}, sorted(found["unity"]))
        ok("recorded-uniform-table-is-iceberg-as-well", "default.marksheet_uniform" in found["uniform"], sorted(found["uniform"]))
        # t2 is on the second page; t1 and t3 were gone when they were asked for, and a table that is gone is no row
        ok("recorded-polaris-pages", set(found["polaris"]) == {"sales.orders", "sales.t2"}, sorted(found["polaris"]))
        unity.scene = polaris.scene = "gone"
        for name in ("unity-catalog", "polaris"):  # while its process is young it is starting
            sick = until(90, lambda: service(status(profile=str(profile)), name)["verdict"] == "sick", 1)
            ok(f"recorded-{name}-without-its-database-is-sick", sick, service(status(profile=str(profile)), name))
        for server in (unity, polaris):
            server.shutdown()


with own:
    own.up()
    until(120, lambda: (own.home / "seeded" / "catalogs").exists())
    for one in (every_table_is_listed, every_table_is_loaded, without_a_profile_catalogs_are_found, one_table_in_two_catalogs_is_one_row, a_refused_key_is_not_down,
                storage_that_is_down_is_said_of_its_catalogs, a_catalog_that_was_killed_keeps_its_last_known_tables,
                what_cannot_be_installed_is_met_as_recorded):
        story(one)
end()
