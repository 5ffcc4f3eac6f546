/** The console in a real browser: user journeys, accessibility and layout. */
import { appearance } from "./console/appearance.ts";
import { journeys } from "./console/journeys.ts";
import { mailedLinks } from "./console/mailed-links.ts";
import { describeConsole } from "./console/stage.ts";

describeConsole("the console", (stage) => {
  journeys(stage);
  mailedLinks(stage);
  appearance(stage);
});
