/** The message of the error that a page shows, if there is one, above the form. */

import { Banner } from "./display";
import { useFailure } from "./shown-failure";

export function FailureBanner() {
  const failure = useFailure();
  return failure ? <Banner kind="bad">{failure.message}</Banner> : null;
}
