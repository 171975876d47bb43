/** Formats a time for `MicroTime` fields: six digits of fractional seconds, which the API server requires. */
export const microTime = (milliseconds: number): string => new Date(milliseconds).toISOString().replace('Z', '000Z')

/** Formats a time for `Time` fields: whole seconds. */
export const secondsTime = (milliseconds: number): string => `${new Date(milliseconds).toISOString().slice(0, 19)}Z`
