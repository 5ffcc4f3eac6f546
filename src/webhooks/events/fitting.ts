/** Which of the subscriptions that list the type of an event and have a filter receive it. */
export interface Fitting {
  included: readonly string[];
  excluded: readonly string[];
}
