"""六条规则。"""

import datetime
import unittest
from decimal import Decimal

from fapiao import rules
from fapiao.model import 发票


def 造(行号=2, 代码="3100261130", 号码="00000001", 金额="100.00", 税率="0.13", 税额="13.00", 合计="113.00", **其他):
    return 发票(
        行号,
        代码,
        号码,
        其他.get("日期", datetime.date(2026, 3, 5)),
        其他.get("销售方", "上海明达五金有限公司"),
        其他.get("税号", "91310115MA1K000011"),
        "五金件",
        Decimal(金额),
        Decimal(税率),
        Decimal(税额),
        Decimal(合计),
        其他.get("备注", ""),
    )


名录 = {"91310115MA1K000011": "上海明达五金有限公司"}


class 规则测试(unittest.TestCase):
    def 说明(self, 产生):
        return [项.说明 for 项 in 产生]

    def test_没有问题(self):
        self.assertEqual(rules.核对([造()], 名录, 2026, 3), [])

    def test_税率(self):
        self.assertEqual(self.说明(rules.查税率(造(税率="0.17"))), ["税率 17.00% 不在允许的范围内"])

    def test_税额(self):
        self.assertEqual(self.说明(rules.查税额(造(税额="14.00"))), ["税额 14.00，应为 13.00，相差 1.00 元"])

    def test_合计(self):
        self.assertEqual(self.说明(rules.查合计(造(合计="112.00"))), ["价税合计 112.00，应为 113.00"])

    def test_期间(self):
        票 = 造(日期=datetime.date(2026, 2, 28))
        self.assertEqual(self.说明(rules.查期间(票, 2026, 3)), ["开票日期 2026-02-28 不在 2026 年 3 月"])

    def test_名录(self):
        self.assertEqual(len(list(rules.查名录(造(税号="X"), 名录))), 1)
        self.assertEqual(len(list(rules.查名录(造(销售方="上海明远五金有限公司"), 名录))), 1)
        self.assertEqual(len(list(rules.查名录(造(销售方="上海明达 五金有限公司"), 名录))), 0)

    def test_重复(self):
        两张 = [造(行号=2), 造(行号=3), 造(行号=4, 号码="00000002")]
        self.assertEqual([(项.行号, 项.说明) for 项 in rules.查重复(两张)], [(3, "与第 2 行重复")])


if __name__ == "__main__":
    unittest.main()
