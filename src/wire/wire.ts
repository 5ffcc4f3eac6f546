/** What routes take and give on the wire, read off their types, so that the client has no copy of them. Types only. */
import type { ExtractSchema } from "hono/types";

/** Path, then `$method`, then `input.json` (what a client may write) and `output` (what it gets) of a router's routes. */
export type Wire<Routes> = ExtractSchema<Routes>;
