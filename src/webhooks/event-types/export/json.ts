/** The export as the API's own JSON. */
import { typeView } from "../view";
import type { Writer } from "./format";

export const jsonWriter = (): Writer => ({
  head: '{"eventTypes":[',
  between: ",",
  entry: (declared) => JSON.stringify(typeView(declared)),
  tail: () => "]}",
});
