import type { Child } from "hono/jsx";
import { A, Say } from "./mount";

export interface TrailProps {
  /** The titles of pages by their paths, the topmost one first. */
  to: Readonly<Record<string, Child>>;
}

/** Links to the pages above this one. */
export const Trail = ({ to }: TrailProps) => (
  <p class="trail">
    {Object.entries(to).map(([path, title], index) => (
      <>
        {index > 0 && " / "}
        <A to={path}>{title}</A>
      </>
    ))}
  </p>
);

/** What is above a page about subscriptions: the list of them and, if the page is below one, that one. */
export const subscriptionTrail = (one?: { id: string; name: string }): TrailProps["to"] => ({
  "/webhooks": <Say of="portal.subscriptions" />,
  ...(one && { [`/webhooks/${one.id}`]: one.name }),
});
