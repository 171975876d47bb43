export { browserSettings, type ListingsConfig, listingsConfig } from './config.ts'
export { createListingsService, type ListingsService, type ListingsServiceOptions } from './service.ts'
export { listingsSchema } from './store/migrations.ts'
export { searchWorker } from './worker/kind.ts'
