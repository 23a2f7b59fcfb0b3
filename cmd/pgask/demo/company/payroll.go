package company

import (
	"fmt"
	"time"
)

// Employee is a row of the payroll. Employees have numbers, not names.
type Employee struct {
	ID                       int
	Number, Department, Role string
	Salary, Bonus            int // dollars a year
	Hired                    time.Time
}

func payroll(r random, cal calendar) []Employee {
	departments := []string{"Engineering", "Sales", "Support", "Finance", "Operations"}
	roles := [][]string{
		{"Engineer", "Senior Engineer", "Engineering Manager"},
		{"Account Executive", "Sales Engineer", "Sales Manager"},
		{"Support Agent", "Support Lead"},
		{"Accountant", "Controller"},
		{"Technician", "Planner", "Operations Manager"},
	}
	list := make([]Employee, employeeCount)
	for i := range list {
		d := r.weighted([]int{36, 24, 18, 8, 14})
		level := r.below(len(roles[d]))
		list[i] = Employee{ID: i + 1, Number: fmt.Sprintf("E-%04d", 1001+i), Department: departments[d], Role: roles[d][level],
			Salary: r.between(42+18*level, 70+28*level) * 1000, Bonus: r.between(0, 12) * 1000,
			Hired: cal.start.AddDate(0, 0, -r.between(1, 2500))}
	}
	return list
}
