/** Processors that may run a model; `auto` is a GPU if this machine has one that the runtime can use. */
export type Device = 'cpu' | 'cuda'
export const deviceChoices = ['auto', 'cpu', 'cuda'] as const
export type DeviceChoice = (typeof deviceChoices)[number]
