/** Telling apps at once that a sign-in has ended. Without this, the sweep does it within seconds. */
import type { Deps } from "../../base/deps";
import { enqueueDue } from "../../webhooks/plane/enqueue";
import { readNewLogouts } from "./tell-store";

/** The deliveries of the platform are in the first database. */
const SHARD = 0;

/** For a sign-out in which a browser waits at an app. */
export function tellAppsSoon(deps: Deps): void {
  deps.background(
    "tell apps",
    readNewLogouts(deps, deps.now()).then((due) => enqueueDue(deps, SHARD, due)),
  );
}
