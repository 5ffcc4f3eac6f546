/** The error of a form that was refused. The page that shows the form again provides it, and the fields read it. */
import { createContext, useContext } from "hono/jsx";
import type { Failure } from "../failure";
import { Banner } from "./display";

/** Undefined on a page that shows no error. */
export const ShownFailure = createContext<Failure | undefined>(undefined);

/** The error that the page shows, for the components of the page. */
export const useFailure = (): Failure | undefined => useContext(ShownFailure);

/** The message of the error, if there is one, above the form. */
export function FailureBanner() {
  const failure = useFailure();
  return failure ? <Banner kind="bad">{failure.message}</Banner> : null;
}
