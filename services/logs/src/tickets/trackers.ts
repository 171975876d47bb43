import { jira } from './jira.ts'
import { notion } from './notion.ts'
import type { Tracker } from './tracker.ts'

/** Where tickets can be made. */
export const trackers: readonly Tracker[] = [notion, jira]
