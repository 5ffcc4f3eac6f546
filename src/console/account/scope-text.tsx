/** What a scope lets an app do, in the language of the page. */
import { keyOfScope } from "../../oauth/scope-texts";
import { Say } from "../components/mount";

export function ScopeText({ scope }: { scope: string }) {
  const key = keyOfScope(scope);
  return key === undefined ? <>{scope}</> : <Say of={key} />;
}
