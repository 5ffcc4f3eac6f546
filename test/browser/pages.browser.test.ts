/**
 * Every page in a real browser: the console, the documentation and the API reference. In one file, so that only one
 * service is started.
 */
import { appearance } from "./appearance.ts";
import { curl } from "./curl.ts";
import { deletion } from "./deletion.ts";
import { docs } from "./docs.ts";
import { journeys } from "./journeys.ts";
import { mailedLinks } from "./mailed-links.ts";
import { mails } from "./mails.ts";
import { passkeys } from "./passkeys.ts";
import { pictures } from "./pictures.ts";
import { portals } from "./portals.ts";
import { protection } from "./protection.ts";
import { providers } from "./providers.ts";
import { reference } from "./reference.ts";
import { signOns } from "./sign-on.ts";
import { describePages } from "./stage.ts";

describePages((stage) => {
  journeys(stage);
  curl(stage);
  pictures();
  providers(stage);
  signOns(stage);
  portals(stage);
  protection(stage);
  mailedLinks(stage);
  mails(stage);
  deletion(stage);
  passkeys(stage);
  appearance(stage);
  docs(stage);
  reference(stage);
});
