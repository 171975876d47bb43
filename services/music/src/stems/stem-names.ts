/** The stems of a piece, in the order of their estimates. The last one is what remains of the mixture. */
export const stemNames = ['vocals', 'drums', 'bass', 'other'] as const

export type StemName = (typeof stemNames)[number]
