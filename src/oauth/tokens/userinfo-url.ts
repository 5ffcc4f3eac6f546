/** The audience of access tokens that are for no API. */
import type { Deps } from "../../base/deps";

export const userinfoUrl = ({ config }: Pick<Deps, "config">): string => `${config.tokenIssuer}/oauth/userinfo`;
