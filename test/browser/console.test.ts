/** The console in a real browser: what people do in it, and how it looks. */
import { journeys } from "./console/journeys.ts";
import { looks } from "./console/looks.ts";
import { describeConsole } from "./console/stage.ts";

describeConsole("the console", (stage) => {
  journeys(stage);
  looks(stage);
});
