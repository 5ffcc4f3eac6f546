/** The error of a form that was refused. The page that shows the form again provides it, and the fields read it. */
import { createContext, useContext } from "hono/jsx";
import type { Failure } from "../failure";

/** Undefined on a page that shows no error. */
export const ShownFailure = createContext<Failure | undefined>(undefined);

/** The error that the page shows, for the components of the page. */
export const useFailure = (): Failure | undefined => useContext(ShownFailure);
