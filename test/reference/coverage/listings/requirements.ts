import type { Requirements } from '../promised.ts'
import { contract } from './requirements/contract.ts'
import { endpoints } from './requirements/endpoints.ts'
import { resources } from './requirements/resources.ts'
import { rules } from './requirements/rules.ts'

/** The promises of the listings service in the order of its specification, then those of the HTTP contract. */
export const listingsRequirements: Requirements = {
  service: 'listings',
  title: 'listings',
  themes: [...resources, ...endpoints, ...rules, ...contract],
  notYet: [],
}
