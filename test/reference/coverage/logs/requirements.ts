import type { Requirements } from '../promised.ts'
import { endpoints } from './requirements/endpoints.ts'
import { resources } from './requirements/resources.ts'
import { rules } from './requirements/rules.ts'

/** The promises of the log service in the order of its specification. */
export const logsRequirements: Requirements = {
  service: 'logs',
  title: 'log',
  themes: [...resources, ...endpoints, ...rules],
  notYet: [],
}
