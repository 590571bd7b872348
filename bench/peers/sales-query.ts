/** What `sales.aggregate` selects, for programs that put the delete and the insert around it by themselves. */
export const salesQuery = (events: string, where: string): string => `
SELECT CAST(at AT TIME ZONE 'UTC' AS DATE) AS day, customer, count(*) AS orders, sum(quantity) AS quantity,
       CAST(sum(quantity * price) AS DECIMAL(14, 2)) AS gross, CAST(sum(discount) AS DECIMAL(14, 2)) AS discount,
       min(at) AS first_at, max(at) AS last_at, min(channel) AS channel, max(note) AS note
FROM ${events}${where}
GROUP BY 1, customer
`;
