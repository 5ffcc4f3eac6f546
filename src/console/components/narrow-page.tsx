/** A page in one narrow column, such as a form: its title, and above the rest the error of a refused form. */
import type { Child, PropsWithChildren } from "hono/jsx";
import { FailureBanner } from "./failure";
import { Trail, type TrailProps } from "./trail";

/** `trail` links to the pages above. */
export const NarrowPage = ({
  title,
  trail,
  children,
}: PropsWithChildren<{ title: Child; trail?: TrailProps["to"] }>) => (
  <div class="narrow">
    {trail && <Trail to={trail} />}
    <h1>{title}</h1>
    <FailureBanner />
    {children}
  </div>
);
