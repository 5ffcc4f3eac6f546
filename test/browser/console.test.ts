/** The console in a real browser: user journeys, accessibility and layout. */
import { appearance } from "./console/appearance.ts";
import { journeys } from "./console/journeys.ts";
import { describeConsole } from "./console/stage.ts";

describeConsole("the console", (stage) => {
  journeys(stage);
  appearance(stage);
});
