/** Why a filter does not let an event through. */
import type { FilterReason } from "../../webhooks/filters/schemas";
import { Say } from "../components/mount";

/** The conditions that do not hold: "payload.total $gt 100, found number". */
export const Because = ({ reasons }: { reasons: readonly FilterReason[] }) => (
  <ul class="plain-list">
    {reasons.map(({ path, operator, expected, found }) => (
      <li>
        <code>
          {path} {operator} {JSON.stringify(expected)}
        </code>
        , <Say of="portal.found" values={{ what: found }} />
      </li>
    ))}
  </ul>
);
