import type { Page } from '../app/page.ts'

/** Pages of the music service, a line each. */
export const musicPages: readonly Page[] = []
