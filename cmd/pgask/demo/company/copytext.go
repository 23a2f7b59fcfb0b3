package company

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Table is a table's rows in the text format of COPY, columns in the order
// given.
type Table struct {
	Name    string
	Columns []string
	Rows    int
	Text    []byte
}

// Tables are all tables, parents before children.
func (c *Company) Tables() []Table {
	return []Table{
		table("accounts", "id tenant_id name region country segment email tax_id created_at", c.Accounts, func(a Account) []string {
			return []string{num(a.ID), num(a.Tenant), a.Name, a.Region, a.Country, a.Segment, a.Email, a.TaxID, stamp(a.Created)}
		}),
		table("monthly_account_arr", "account_id month arr", c.ARR, func(a ARR) []string {
			return []string{num(a.Account), date(a.Month), cents(a.Dollars * 100)}
		}),
		table("products", "id name category unit_price", c.Products, func(p Product) []string {
			return []string{num(p.ID), p.Name, p.Category, cents(p.Cents)}
		}),
		table("orders", "id account_id tenant_id status ordered_at currency", c.Orders, func(o Order) []string {
			return []string{num(o.ID), num(o.Account), num(o.Tenant), o.Status, stamp(o.Ordered), o.Currency}
		}),
		table("order_items", "order_id product_id quantity unit_price discount", c.Items, func(i Item) []string {
			return []string{num(i.Order), num(i.Product), num(i.Quantity), cents(i.Cents), cents(i.DiscountPercent)}
		}),
		table("support_conversations", "id account_id tenant_id opened_at closed_at channel subject body", c.Conversations, func(s Conversation) []string {
			return []string{num(s.ID), num(s.Account), num(s.Tenant), stamp(s.Opened), stamp(s.Closed), s.Channel, s.Subject, s.Body}
		}),
		table("payroll", "id employee_no department title salary bonus hired_on", c.Payroll, func(e Employee) []string {
			return []string{num(e.ID), e.Number, e.Department, e.Role, cents(e.Salary * 100), cents(e.Bonus * 100), date(e.Hired)}
		}),
	}
}

func table[R any](name, columns string, rows []R, fields func(R) []string) Table {
	escape := strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)
	var text bytes.Buffer
	for _, row := range rows {
		for i, field := range fields(row) {
			if i > 0 {
				text.WriteByte('\t')
			}
			if field == null {
				text.WriteString(field)
				continue
			}
			text.WriteString(escape.Replace(field))
		}
		text.WriteByte('\n')
	}
	return Table{Name: name, Columns: strings.Fields(columns), Rows: len(rows), Text: text.Bytes()}
}

// null is how COPY's text format spells NULL.
const null = `\N`

func num(n int) string { return strconv.Itoa(n) }

func date(t time.Time) string { return t.Format(time.DateOnly) }

// cents writes a count of hundredths as a decimal.
func cents(n int) string { return fmt.Sprintf("%d.%02d", n/100, n%100) }

// stamp is a time with its zone; the zero time is NULL.
func stamp(t time.Time) string {
	if t.IsZero() {
		return null
	}
	return t.UTC().Format("2006-01-02 15:04:05+00")
}
