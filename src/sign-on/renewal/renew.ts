/**
 * Daily: reads the documents of providers again, so that no sign-on has to. Tells of certificates that end soon, and
 * removes old traces.
 */
import type { Deps } from "../../base/deps";
import { log } from "../../base/log/log";
import type { PagedMaintenance } from "../../base/maintenance";
import { DiscoveryFailed, readProvider } from "../oidc/discovery";
import { tellOfCertificates } from "./certificates";
import { type Renewable, readPage, removeOldTraces, writeDocument } from "./store";

/** Each waits for a provider, at most five seconds. */
const PAGE = 5;

export const renewConnections: PagedMaintenance = async (deps, _shard, cursor, isOver) => {
  let next = cursor;
  while (!isOver()) {
    const page = await readPage(deps, next, PAGE);
    await Promise.all(page.map((row) => renew(deps, row)));
    await tellOfCertificates(deps, page);
    await removeOldTraces(
      deps,
      page.map(({ id }) => id),
    );
    const last = page.at(-1);
    if (!last || page.length < PAGE) return null;
    next = last.id;
  }
  return next;
};

/** What cannot be read now stays as it was. */
async function renew(deps: Deps, { id, document }: Renewable): Promise<void> {
  if (document === null) return;
  try {
    const read = await readProvider(deps, document.issuer);
    if (read.issuer === document.issuer) await writeDocument(deps, id, document, read);
  } catch (error) {
    if (!(error instanceof DiscoveryFailed)) throw error;
    log("warn", "sign-on refused", { connectionId: id, reason: "discovery_failed" });
  }
}
