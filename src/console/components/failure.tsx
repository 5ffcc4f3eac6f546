/** The message of the error that a page shows, if there is one, above the form. */
import { useFailure } from "../http/shown-failure";
import { Banner } from "./display";

export function FailureBanner() {
  const failure = useFailure();
  return failure ? <Banner kind="bad">{failure.message}</Banner> : null;
}
