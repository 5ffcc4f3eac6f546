/** Facts about something, by their names. */
import type { Child } from "hono/jsx";

/** False for one that does not apply. `break` lets a long word break. */
export type Fact = readonly [name: Child, value: Child, style?: "break"] | false;

export const FactList = ({ facts }: { facts: readonly Fact[] }) => (
  <dl class="facts">
    {facts.map(
      (fact) =>
        fact && (
          <>
            <dt>{fact[0]}</dt>
            <dd class={fact[2]}>{fact[1]}</dd>
          </>
        ),
    )}
  </dl>
);
