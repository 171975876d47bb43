const prefix = 'guest:'

/** The user id of a guest. */
export const guestId = (id: string): string => `${prefix}${id}`

export const isGuest = (userId: string): boolean => userId.startsWith(prefix)

/** Matches the user ids of all guests, for LIKE. */
export const allGuests = `${prefix}%`
