export { browserSettings, type ListingsConfig, listingsConfig } from './config.ts'
export { listingsSchema } from './schemas.ts'
export { createListingsService, type ListingsService, type ListingsServiceOptions } from './service.ts'
export { searchWorker } from './worker/kind.ts'
