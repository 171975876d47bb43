/** A packed posting has its document in the upper 24 bits and the count of the word in the lower 8. */
export const countBits = 8
export const maxCount = 255
