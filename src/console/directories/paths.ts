/** Where the pages of directories are. */

export type StateOfPeople = "held" | undefined;

export const HERE = "/directories";
export const pathOf = (connectionId: string): string => `${HERE}/${connectionId}`;
