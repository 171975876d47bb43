import type { Page } from '../app/page.ts'

/** Pages of the listings service, a line each. */
export const listingsPages: readonly Page[] = []
