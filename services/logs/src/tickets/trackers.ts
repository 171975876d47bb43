import { jira } from './jira.ts'
import { notion } from './notion.ts'
import type { Tracker } from './tracker.ts'

/** The supported trackers. */
export const trackers: readonly Tracker[] = [notion, jira]
