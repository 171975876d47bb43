/** A packed posting has its document in the upper 24 bits and the word's count in the lower 8. */
export const countBits = 8
export const mostOften = 255
