/** A time as `MicroTime` fields want it: six digits of fractional seconds, which the API server insists on. */
export const microTime = (milliseconds: number): string => new Date(milliseconds).toISOString().replace('Z', '000Z')

/** A time as `Time` fields want it: whole seconds. */
export const secondsTime = (milliseconds: number): string => `${new Date(milliseconds).toISOString().slice(0, 19)}Z`
